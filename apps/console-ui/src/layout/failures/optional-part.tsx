import { Button } from '@mantine/core';
import { Component, type ReactNode, Suspense } from 'react';
import { useLayoutTexts } from '../layout-texts';

interface Props {
  /** Stands in its place until it is loaded. */
  fallback?: ReactNode;
  children: ReactNode;
}

/**
 * A part beside the page that is loaded when it is needed. If its file is gone after an update of the console, the page and
 * what was typed stay.
 */
export class OptionalPart extends Component<Props, { isMissing: boolean }> {
  override state = { isMissing: false };

  static getDerivedStateFromError() {
    return { isMissing: true };
  }

  override render() {
    if (this.state.isMissing) return <Missing />;
    return <Suspense fallback={this.props.fallback}>{this.props.children}</Suspense>;
  }
}

function Missing() {
  const t = useLayoutTexts();
  return (
    <Button size="xs" variant="default" title={t('failed.text')} onClick={() => window.location.reload()}>
      {t('failed.reload')}
    </Button>
  );
}
