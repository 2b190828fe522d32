const REFUSAL = 'The documents of this workspace do not answer that.';
const CHINESE_REFUSAL = '这个工作区的文档没有回答这个问题。';

/** The answer if no passage is relevant, in Chinese or English as the question. */
export const refusalText = (query: string): string =>
  /\p{Script=Han}/u.test(query) ? CHINESE_REFUSAL : REFUSAL;
