import { Alert } from '@mantine/core';
import { Component, type ReactNode } from 'react';
import { strings } from '../strings.js';

/** Keeps an error of one page from removing the navigation. React writes the error to the console. */
export class ErrorBoundary extends Component<{ readonly children: ReactNode }, { readonly hasCrashed: boolean }> {
  override state = { hasCrashed: false };

  static getDerivedStateFromError() {
    return { hasCrashed: true };
  }

  override render() {
    if (!this.state.hasCrashed) return this.props.children;
    return (
      <Alert color="red" variant="light" role="alert" title={strings.failures.crashed}>
        {strings.failures.crashedHint}
      </Alert>
    );
  }
}
