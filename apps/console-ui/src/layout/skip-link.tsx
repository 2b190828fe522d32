import { useLayoutTexts } from './layout-texts';
import classes from './layout.module.css';

/** The first thing that the keyboard reaches: it leads past the navigation. */
export function SkipLink() {
  const t = useLayoutTexts();
  return (
    <a href="#main" className={classes.skip}>
      {t('skip')}
    </a>
  );
}
