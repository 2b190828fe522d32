import { Link } from '@tanstack/react-router';
import { type ReactNode } from 'react';
import { useSite } from '../api/site';
import { useLayoutTexts } from './layout-texts';
import classes from './layout.module.css';

/** Where sites in China show that they are registered. */
const ICP_REGISTER = 'https://beian.miit.gov.cn/';

/** Who operates the site and by which terms, and where to find help. What the operator has not configured is left out. */
export function SiteFooter() {
  const t = useLayoutTexts();
  const { name, terms, links, icp_number: icpNumber } = useSite();
  const pages: [href: string | null | undefined, label: string][] = [
    [links.support, t('footer.support')],
    [links.status, t('footer.status')],
    [terms?.url, t('footer.terms')],
    [links.privacy, t('footer.privacy')],
    [links.imprint, t('footer.imprint')],
  ];
  const external = (href: string, label: ReactNode) => (
    <a key={href} href={href} className={classes.links} rel="noreferrer">
      {label}
    </a>
  );
  return (
    <footer className={classes.footer}>
      <span>{name}</span>
      <nav aria-label={t('footer')} className={classes.footerLinks}>
        <Link to="/docs" className={classes.links}>
          {t('footer.docs')}
        </Link>
        {pages.map(([href, label]) => href && external(href, label))}
        {icpNumber && external(ICP_REGISTER, icpNumber)}
      </nav>
    </footer>
  );
}
