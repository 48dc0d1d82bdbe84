import { useEffect, useState, type ComponentType } from 'react';
import { strings } from '../strings.js';
import { announce } from './announcer.js';
import type { DialogProps } from './opened-dialog.js';

const loadDialog = () => import('./opened-dialog.js');

/** A dialog, whose script loads when it is first opened. */
export function Dialog(props: DialogProps) {
  const { opened, onClose } = props;
  const [OpenedDialog, load] = useOnDemand(loadDialog, onClose);
  useEffect(() => {
    if (opened) load();
  }, [opened]);
  return OpenedDialog === null ? null : <OpenedDialog {...props} />;
}

/**
 * A component whose script loads when it is first used. Until it is there, the button that was pressed stays and keeps the
 * focus.
 * @param onFailure called when it cannot be loaded, after the message to the user
 * @returns the component, null before; and what the button calls
 */
export function useOnDemand<Props>(
  load: () => Promise<{ readonly default: ComponentType<Props> }>,
  onFailure?: () => void,
): readonly [ComponentType<Props> | null, () => void] {
  const [component, setComponent] = useState<ComponentType<Props> | null>(null);
  const start = () =>
    void load().then(
      (module) => setComponent(() => module.default),
      () => {
        announce(strings.failures.notLoaded);
        onFailure?.();
      },
    );
  return [component, start];
}
