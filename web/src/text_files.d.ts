/** Message files are bundled as text. */
declare module "*.ftl" {
  const content: string;
  export default content;
}
