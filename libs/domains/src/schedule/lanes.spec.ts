import { describe, expect, it } from '@jest/globals';
import type { WorkKind } from '../lifecycle/domain-trigger.js';
import {
  laneOf,
  priorityOf,
  routineCause,
  workLanes,
  type Priority,
  type WorkCause,
  type WorkLane,
} from './lane-queues.js';

const [PERSON, ISSUANCE, EXPIRING, ROUTINE, WATCHED] = [0, 1, 2, 3, 4] as const;
const requested: WorkCause = { ...routineCause, isRequested: true };
const uncertified: WorkCause = { ...routineCause, hasCertificate: false };
const alerted: WorkCause = { ...routineCause, hasAlert: true };

describe('the lane of work', () => {
  it.each<[WorkKind, Priority, WorkLane]>([
    ['dns', PERSON, 'requested'],
    ['reverify', PERSON, 'requested'],
    ['dns', WATCHED, 'watched'],
    ['dns', ISSUANCE, 'checks'],
    ['dns', ROUTINE, 'checks'],
    ['reverify', ROUTINE, 'checks'],
    ['issuance', PERSON, 'certificates'],
    ['issuance', EXPIRING, 'certificates'],
    ['renewal_info', PERSON, 'certificates'],
    ['renewal_info', ROUTINE, 'certificates'],
    ['probe', PERSON, 'probes'],
    ['probe', ISSUANCE, 'probes'],
  ])('%s with priority %d is %s', (kind, priority, lane) => expect(laneOf({ kind, priority })).toBe(lane));

  it('is one of five', () => expect(workLanes).toEqual(['requested', 'watched', 'checks', 'certificates', 'probes']));
});

describe('the priority', () => {
  it.each<[string, WorkKind, WorkCause, Priority]>([
    ['a check that a person waits for', 'dns', requested, PERSON],
    ['an order that a person waits for', 'issuance', { ...requested, hasCertificate: false }, PERSON],
    ['the first order of a name', 'issuance', uncertified, ISSUANCE],
    ['the first order of a name, after an alert', 'issuance', { ...uncertified, hasAlert: true }, ISSUANCE],
    ['the probe of a first certificate', 'probe', uncertified, ISSUANCE],
    ['a renewal near the end of the certificate', 'issuance', alerted, EXPIRING],
    ['the probe of such a renewal', 'probe', alerted, EXPIRING],
    ['a renewal in time', 'issuance', routineCause, ROUTINE],
    ['the probe of a renewal in time', 'probe', routineCause, ROUTINE],
    ['a regular check of a name without a certificate', 'dns', uncertified, ROUTINE],
    ['a check before the renewal of a certificate near its end', 'reverify', alerted, ROUTINE],
    ['the renewal information of a certificate near its end', 'renewal_info', alerted, ROUTINE],
  ])('of %s', (_name, kind, cause, priority) => expect(priorityOf(kind, cause)).toBe(priority));
});
