import { Alert } from '@mantine/core';
import { Component, type ReactNode } from 'react';
import { strings } from '../strings.js';

/** A page that breaks leaves the rest standing: its error ends here, and React writes it to the console. */
export class ErrorBoundary extends Component<{ readonly children: ReactNode }, { readonly hasCrashed: boolean }> {
  override state = { hasCrashed: false };

  static getDerivedStateFromError() {
    return { hasCrashed: true };
  }

  override render() {
    if (!this.state.hasCrashed) return this.props.children;
    return (
      <Alert color="red" variant="light" role="alert" title={strings.failures.title}>
        {strings.failures.crashed}
      </Alert>
    );
  }
}
