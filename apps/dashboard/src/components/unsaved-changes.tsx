import { Button, Group, Stack, Text } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { strings } from '../strings.js';
import { Dialog } from './dialog.js';

/** The part of the Navigation API that is used. Browsers without it ask only before they leave the dashboard. */
interface NavigateEvent extends Event {
  readonly hashChange: boolean;
  readonly destination: { readonly url: string };
}

const navigation = (globalThis as { readonly navigation?: EventTarget }).navigation;

/** Asks before a page with unsaved changes is left: by a link, with the buttons of the browser, or with its tab. */
export function UnsavedChanges({ isDirty }: { readonly isDirty: boolean }) {
  const [, navigate] = useLocation();
  const [target, setTarget] = useState<string | null>(null);
  const isLeaving = useRef(false);
  useEffect(() => {
    if (!isDirty) return;
    const hold = (event: Event) => {
      const { hashChange, destination } = event as NavigateEvent;
      if (!event.cancelable || hashChange || isLeaving.current) return;
      // Another document: the browser asks.
      if (!destination.url.startsWith(`${location.origin}/dashboard`)) return;
      event.preventDefault();
      setTarget(new URL(destination.url).pathname);
    };
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    navigation?.addEventListener('navigate', hold);
    addEventListener('beforeunload', ask);
    return () => {
      navigation?.removeEventListener('navigate', hold);
      removeEventListener('beforeunload', ask);
    };
  }, [isDirty]);
  const stay = () => setTarget(null);
  const leave = () => {
    isLeaving.current = true;
    if (target !== null) navigate(`~${target}`);
  };
  return (
    <Dialog opened={target !== null} onClose={stay} title={strings.unsaved.title}>
      <Stack gap="md">
        <Text>{strings.unsaved.page}</Text>
        <Group justify="end">
          <Button variant="default" onClick={stay} data-autofocus>
            {strings.unsaved.stay}
          </Button>
          <Button color="red" onClick={leave}>
            {strings.unsaved.discard}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
