import { describe, expect, it } from '@jest/globals';
import { cacheControlOf } from './cache-policy.js';

describe('kept for ever', () => {
  it.each([
    'app.3f2a9c1b.js',
    'static/js/main.3f2a9c1b.chunk.js',
    'static/js/main.3f2a9c1b.js.map',
    'assets/index-BkX1o2aQ.css',
    'assets/inter-latin-C1nco2VV.woff2',
    'chunk-5B3KTQ2M.js',
    'main-5QK7XH3B.js',
    'app-68b329da9893e34099c7d8ad5cb9c940.css',
    'main.min.8d969eef6ecad3c29a3a629280e686cf0c3f5d5a86aff3ca12020c923adc6c92.css',
    'base.27e20196a850.css',
    '3f2a9c1b4d5e6f70.png',
    '_next/static/chunks/framework.js',
    '_app/immutable/entry/start.js',
  ])('%s', (path) => expect(cacheControlOf(path)).toBe('public, max-age=31536000, immutable'));
});

describe('looked at again', () => {
  it.each([
    'index.html',
    'posts/3f2a9c1b4d5e6f70.html',
    'index-BkX1o2aQ.html',
    'feed.3f2a9c1b.xml',
    'app.js',
    'app.min.js',
    'service-worker.js',
    'report-20240131.png',
    'photo-2024-01-31.jpg',
    'slides-Chapter1.png',
    'slides-Lecture12.png',
    'trip-DSC00012.jpg',
    'trip-P1010023.jpg',
    'logo-MainPage.svg',
    'logo-deadbeef.svg',
    'logo-facade1990.svg',
    'logo-1990decade.svg',
    'jquery-3.7.1.min.js',
    'bootstrap.bundle.min.js',
    '3f2a9c1b.js',
    'BkX1o2aQ.js',
    'avatar-550e8400-e29b-41d4-a716-44665544ab00.png',
    'a.3f2a9c1/app.js',
    'manifest.json',
    'robots.txt',
    '.well-known/security.txt',
    'next/static/chunks/framework.js',
    'LICENSE',
  ])('%s', (path) => expect(cacheControlOf(path)).toBe('public, max-age=0, must-revalidate'));
});
