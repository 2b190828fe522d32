import { Component, type ReactNode } from 'react';
import { FailedPage } from './failed-page';

interface Props {
  onReset: () => void;
  children: ReactNode;
}

/** Catches what is thrown outside of all pages. */
export class FailureBoundary extends Component<Props, { error?: unknown }> {
  override state: { error?: unknown } = {};

  static getDerivedStateFromError(error: unknown) {
    return { error };
  }

  override render() {
    if (this.state.error === undefined) return this.props.children;
    const retry = () => {
      this.props.onReset();
      this.setState({ error: undefined });
    };
    return <FailedPage error={this.state.error} reset={retry} />;
  }
}
