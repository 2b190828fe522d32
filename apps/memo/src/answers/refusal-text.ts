const REFUSAL = 'The documents of this workspace do not answer that.';
const CHINESE_REFUSAL = '这个工作区的文档没有回答这个问题。';

/** What is said when nothing relevant was found, in the language of the question. */
export const refusalFor = (query: string): string =>
  /\p{Script=Han}/u.test(query) ? CHINESE_REFUSAL : REFUSAL;
