import { displayName, type Domain } from '@pets/contracts';
import { Menu } from '@mantine/core';
import { useEffect, useRef, useState } from 'react';
import { Dialog } from '../components/dialog.js';
import { MenuButton } from './domain-menu-button.js';
import { domainStrings, removalStrings } from './domain-strings.js';
import { MoveDomain, moveStrings } from './move.js';
import { ConfirmRemoval } from './removal.js';

export interface DomainMenuProps {
  readonly projectId: string;
  readonly domain: Pick<Domain, 'id' | 'name' | 'unicodeName' | 'pendingEdges' | 'coveredBy'>;
}

/** The menu of a domain with its dialogs, open. */
export default function OpenedDomainMenu({ projectId, domain }: DomainMenuProps) {
  const button = useRef<HTMLButtonElement>(null);
  const [isOpened, setOpened] = useState(false);
  const [isConfirming, setConfirming] = useState(false);
  const [isMoving, setMoving] = useState(false);
  useEffect(() => {
    // It takes the place of the button that was pressed, and gets the focus back when it closes.
    button.current?.focus();
    setOpened(true);
  }, []);
  return (
    <>
      <Menu position="bottom-end" withInitialFocusPlaceholder={false} opened={isOpened} onChange={setOpened}>
        <Menu.Target>
          <MenuButton ref={button} domain={domain} />
        </Menu.Target>
        <Menu.Dropdown>
          <Menu.Item onClick={() => setMoving(true)}>{moveStrings.action}</Menu.Item>
          <Menu.Item color="red" onClick={() => setConfirming(true)}>
            {domainStrings.remove}
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      <Dialog
        opener={button}
        opened={isMoving}
        onClose={() => setMoving(false)}
        title={moveStrings.title(displayName(domain))}
      >
        <MoveDomain projectId={projectId} domain={domain} onClose={() => setMoving(false)} />
      </Dialog>
      <Dialog
        opener={button}
        opened={isConfirming}
        onClose={() => setConfirming(false)}
        title={removalStrings.title(displayName(domain))}
      >
        <ConfirmRemoval projectId={projectId} domain={domain} onClose={() => setConfirming(false)} />
      </Dialog>
    </>
  );
}
