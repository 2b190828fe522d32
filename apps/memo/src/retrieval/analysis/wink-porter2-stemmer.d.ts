declare module 'wink-porter2-stemmer' {
  /** The stem of an English word. */
  const stem: (word: string) => string;
  export default stem;
}
