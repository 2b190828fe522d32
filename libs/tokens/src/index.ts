export { estimateTokens } from './token-counter';
