import { describe, expect, it } from '@jest/globals';
import { UploadSpace } from './upload-space.js';

const MIB = 1024 * 1024;
const openSpace = (mib: number) => new UploadSpace({ UPLOAD_SPACE_BYTES: mib * MIB }, { gauge: () => undefined });

describe('UploadSpace', () => {
  it('leaves half of the space to other organizations', () => {
    const space = openSpace(1_000);
    const uploads = [1, 2, 3].map(() => space.reserve('greedy'));
    for (const upload of uploads.slice(0, 2)) upload.add(200 * MIB);
    expect(() => uploads[2]?.add(200 * MIB)).toThrow(/uploads of the organization use too much space/);
    uploads[2]?.add(100 * MIB);
    for (const organization of ['a', 'b']) space.reserve(organization).add(200 * MIB);
    expect(() => space.reserve('c').add(200 * MIB)).toThrow(/no space for this upload/);
  });

  it('has space again after uploads have ended', () => {
    const space = openSpace(1_000);
    const one = space.reserve('greedy');
    const other = space.reserve('greedy');
    for (const upload of [one, other]) upload.add(200 * MIB);
    expect(() => space.reserve('greedy').add(200 * MIB)).toThrow();
    one.release();
    expect(() => space.reserve('greedy').add(200 * MIB)).not.toThrow();
  });

  it('always has space for one upload of the largest size', () => {
    expect(() =>
      openSpace(250)
        .reserve('one')
        .add(200 * MIB),
    ).not.toThrow();
  });
});
