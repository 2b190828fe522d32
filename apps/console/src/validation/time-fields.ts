import { INSTANT_FORM, instantText, parseInstant } from '@inference/time';
import { z } from 'zod';

/** A time from 1970 to now; a date alone is refused. */
export const pastTime = () =>
  z.string('must be a text').transform((text, context): Date => {
    const instant = /t/i.test(text) ? parseInstant(text) : null;
    if (instant === null) context.addIssue(INSTANT_FORM);
    else if (instant < 0n) context.addIssue('must not be before 1970');
    else {
      const date = new Date(instantText(instant));
      if (date.getTime() <= Date.now()) return date;
      context.addIssue('must not be in the future');
    }
    return z.NEVER;
  });
