import type { OperationId } from '@pets/contracts';
import { useOnDemand } from '../components/dialog.js';
import { useMay } from '../session/caller.js';
import { MenuButton } from './domain-menu-button.js';
import type { DomainMenuProps } from './opened-domain-menu.js';

export const menuActions = ['moveDomain', 'removeDomain'] as const satisfies readonly OperationId[];

export const loadDomainMenu = () => import('./opened-domain-menu.js');

/**
 * The rare actions on a domain, of its page and of its row; for callers who may do them. Before its first use it is only a
 * button: a list has a hundred, and as menus with dialogs they take most of the time that a phone needs to show it.
 */
export function DomainMenu({ projectId, domain }: DomainMenuProps) {
  const may = useMay();
  const [OpenedMenu, open] = useOnDemand(loadDomainMenu);
  if (!may(...menuActions)) return null;
  if (OpenedMenu !== null) return <OpenedMenu projectId={projectId} domain={domain} />;
  return <MenuButton domain={domain} aria-haspopup="menu" aria-expanded={false} onClick={open} />;
}
