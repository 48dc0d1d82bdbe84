import { Button, type ButtonProps } from '@mantine/core';
import type { ReactNode } from 'react';

interface ActionButtonProps extends ButtonProps {
  readonly isBusy: boolean;
  /** Shown instead of the children while the action runs. */
  readonly busyLabel?: string;
  readonly type?: 'button' | 'submit';
  readonly onClick?: () => void;
  readonly autoFocus?: boolean;
  readonly 'aria-label'?: string;
  readonly children: ReactNode;
}

/** A button that keeps the focus while its action runs: a disabled one loses it. */
export function ActionButton({ isBusy, busyLabel, onClick, children, ...props }: ActionButtonProps) {
  return (
    <Button {...props} aria-disabled={isBusy || undefined} onClick={isBusy ? undefined : onClick}>
      {isBusy ? (busyLabel ?? children) : children}
    </Button>
  );
}
