import { type UseFormReturnType } from '@mantine/form';
import { toApiError } from '../../api/api-error';

/**
 * Shows the messages of the service at the fields that it names. Returns the error if it concerns no field of the form, and
 * otherwise undefined.
 */
export function showFieldErrors<Values extends object>(
  form: UseFormReturnType<Values>,
  thrown: unknown,
): unknown {
  const messages = Object.entries(toApiError(thrown).fieldMessages).filter(
    ([name]) => name in form.getValues(),
  );
  if (messages.length === 0) return thrown;
  form.setErrors(Object.fromEntries(messages));
  return undefined;
}
