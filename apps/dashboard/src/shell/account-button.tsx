import { Button, type ButtonProps } from '@mantine/core';
import type { ComponentPropsWithRef } from 'react';
import { useOrganization } from '../session/caller.js';
import { strings } from '../strings.js';

type AccountButtonProps = ButtonProps & Omit<ComponentPropsWithRef<'button'>, keyof ButtonProps>;

/** Opens the account menu. It shows the organization and its plan. */
export function AccountButton(props: AccountButtonProps) {
  const { data: organization } = useOrganization();
  const text = strings.account;
  return (
    <Button variant="default" size="sm" className="account" {...props}>
      <span className="visually-hidden">{text.of}</span>
      <span className="account-name">{organization?.name ?? text.account}</span>
      {organization !== undefined && <span className="account-plan">{strings.plans[organization.plan]}</span>}
      <span aria-hidden="true"> ▾</span>
    </Button>
  );
}
