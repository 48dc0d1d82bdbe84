import { useIsFetching } from '@tanstack/react-query';
import { useEffect } from 'react';
import { useOnDemand } from '../components/dialog.js';
import { useOrganization } from '../session/caller.js';
import { AccountButton } from './account-button.js';

const load = () => import('./opened-account-menu.js');

/** The organization and its plan, the theme, the documentation, and the way out. A first visit rarely opens it. */
export function AccountMenu() {
  const [OpenedMenu, open] = useOnDemand(load);
  useLoadWhenIdle();
  if (OpenedMenu !== null) return <OpenedMenu />;
  return <AccountButton aria-haspopup="menu" aria-expanded={false} onClick={open} />;
}

/** Once the page has its data, so that the menu opens without a network, too. */
function useLoadWhenIdle(): void {
  const { data } = useOrganization();
  const isIdle = useIsFetching() === 0 && data !== undefined;
  useEffect(() => {
    if (isIdle) void load().catch(() => undefined); // the button tries again
  }, [isIdle]);
}
