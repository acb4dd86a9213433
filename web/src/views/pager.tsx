// The page switch of a long table.

import { Button } from "../button";
import { useText } from "../context";
import { count } from "../format";

export function Pager({ page, pages, onPage }: { page: number; pages: number; onPage: (page: number) => void }) {
  const text = useText();
  if (pages < 2) return null;
  return (
    <div class="pager" role="group" aria-label={text.say("pages", { page: String(page + 1), pages: String(pages) })}>
      <Button disabled={page === 0} onClick={() => onPage(page - 1)} aria-label={text.say("page-before")}>
        ‹
      </Button>
      <span>{text.say("pages", { page: count(page + 1, text.language), pages: count(pages, text.language) })}</span>
      <Button disabled={page >= pages - 1} onClick={() => onPage(page + 1)} aria-label={text.say("page-next")}>
        ›
      </Button>
    </div>
  );
}
