import { Modal, type ModalProps } from '@mantine/core';
import { strings } from '../strings.js';

/** A dialog whose cross has a name, for those who do not see it. */
export function Dialog(props: ModalProps) {
  return <Modal {...props} closeButtonProps={{ 'aria-label': strings.close }} />;
}
