// What JSX becomes (build.mjs): every file with elements has these without an import of its own.

export { Fragment, h } from "preact";
