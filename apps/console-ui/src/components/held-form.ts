import { type RefObject, useEffect } from 'react';

/**
 * Holds back the form around a field while the text in the field cannot be read: the form would be sent without it.
 *
 * @param refuse tells it at the field and returns true, if the text cannot be read
 */
export function useHeldForm(
  field: RefObject<HTMLInputElement | null>,
  refuse: (text: string) => boolean,
): void {
  useEffect(() => {
    const form = field.current?.form;
    const hold = (event: SubmitEvent) => {
      if (!field.current || !refuse(field.current.value)) return;
      event.preventDefault();
      // React would hear it further up.
      event.stopPropagation();
      field.current.focus();
    };
    form?.addEventListener('submit', hold);
    return () => form?.removeEventListener('submit', hold);
  });
}
