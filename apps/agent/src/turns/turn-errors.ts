import { refusal, type Refusal } from '@inference/model-calls';

export const INTERRUPTED = 'interrupted';

export const interruptedError = (): Refusal =>
  refusal(503, INTERRUPTED, 'The service stopped in the middle of this turn. Send the message again.');

export const contextTooLongError = (): Refusal =>
  refusal(
    400,
    'context_length_exceeded',
    "The conversation's last turn does not fit into the model's context.",
  );
