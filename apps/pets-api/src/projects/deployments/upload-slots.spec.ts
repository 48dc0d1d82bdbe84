import { describe, expect, it } from '@jest/globals';
import { UploadSpace } from './upload-slots.js';

const MIB = 1024 * 1024;
const openSpace = (mib: number) => new UploadSpace({ UPLOAD_SPACE_BYTES: mib * MIB }, { gauge: () => undefined });

describe('UploadSpace', () => {
  it('leaves half of the space to other organizations', () => {
    const space = openSpace(1_000);
    const uploads = [1, 2, 3].map(() => space.reserve('greedy'));
    for (const upload of uploads.slice(0, 2)) upload.addBytes(200 * MIB);
    expect(() => uploads[2]?.addBytes(200 * MIB)).toThrow(/uploads of the organization use too much space/);
    uploads[2]?.addBytes(100 * MIB);
    for (const organization of ['a', 'b']) space.reserve(organization).addBytes(200 * MIB);
    expect(() => space.reserve('c').addBytes(200 * MIB)).toThrow(/no space for this upload/);
  });

  it('has space again after uploads have ended', () => {
    const space = openSpace(1_000);
    const one = space.reserve('greedy');
    const other = space.reserve('greedy');
    for (const upload of [one, other]) upload.addBytes(200 * MIB);
    expect(() => space.reserve('greedy').addBytes(200 * MIB)).toThrow();
    one.release();
    expect(() => space.reserve('greedy').addBytes(200 * MIB)).not.toThrow();
  });

  it('always has space for one upload of the largest size', () => {
    expect(() =>
      openSpace(250)
        .reserve('one')
        .addBytes(200 * MIB),
    ).not.toThrow();
  });
});
