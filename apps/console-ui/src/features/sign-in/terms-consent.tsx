import { Anchor, Checkbox, type CheckboxProps } from '@mantine/core';
import '@mantine/core/styles/Checkbox.layer.css';
import { useSite } from '../../api/site';
import { useSignInTexts } from './sign-in-texts';

/** A box to accept the terms of use, which can be read from there. Only on a site with terms. */
export function TermsConsent(props: CheckboxProps) {
  const t = useSignInTexts();
  const { terms, links } = useSite();
  if (!terms) return null;
  const page = (href: string, label: string) => (
    <Anchor href={href} target="_blank" rel="noreferrer" inherit>
      {label}
    </Anchor>
  );
  return (
    <Checkbox
      required
      label={
        <>
          {t('terms.accept')} {page(terms.url, t('terms.link'))}
        </>
      }
      description={links.privacy && page(links.privacy, t('terms.privacy'))}
      {...props}
    />
  );
}
