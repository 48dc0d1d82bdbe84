import { expect, it } from '@jest/globals';
import { ConnectStreak } from './connect-streak.js';

function observe(): { readonly streak: ConnectStreak; readonly said: boolean[] } {
  const said: boolean[] = [];
  return { streak: new ConnectStreak((isFailing) => said.push(isFailing)), said };
}

it('says that connections fail at the third failure in a row, and again every ten seconds', () => {
  const { streak, said } = observe();
  for (const nowMs of [0, 1]) streak.failed(nowMs);
  expect(said).toEqual([]);
  for (const nowMs of [2, 3, 10_001]) streak.failed(nowMs);
  expect(said).toEqual([true]);
  streak.failed(10_002);
  expect(said).toEqual([true, true]);
});

it('says once that a connection was opened, if it had said that they fail', () => {
  const { streak, said } = observe();
  for (let count = 0; count < 10; count++) {
    streak.failed(count);
    streak.failed(count);
    streak.succeeded();
  }
  expect(said).toEqual([]);
  for (const nowMs of [20, 21, 22]) streak.failed(nowMs);
  for (let count = 0; count < 3; count++) streak.succeeded();
  expect(said).toEqual([true, false]);
});
