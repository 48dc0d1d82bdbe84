import { afterAll, beforeAll, describe } from '@jest/globals';
import { describeWhen, isInstalled } from '@pets/testing';
import { tellDeploymentsStory } from './stories/deployments.story.js';
import { tellDomainStory } from './stories/domain.story.js';
import { tellGatesStory } from './stories/gates.story.js';
import { tellKeyboardStory } from './stories/keyboard.story.js';
import { tellKeysAndWebhooksStory } from './stories/keys-and-webhooks.story.js';
import { tellPagesStory } from './stories/pages.story.js';
import { tellRecordsStory } from './stories/records.story.js';
import { tellRedirectsStory } from './stories/redirects.story.js';
import { tellReverifyStory } from './stories/reverify.story.js';
import { tellSessionStory } from './stories/session.story.js';
import { tellStoreStory } from './stories/store.story.js';
import { openWorld, type World } from './world.js';

/** All stories share one stack and one browser; each has a tab of its own, and fails when its page does. */
const missing = isInstalled('chromium') ? null : 'chromium is not installed';

describeWhen(describe, 'the dashboard in a browser', missing, () => {
  let world: World | undefined;
  beforeAll(async () => {
    world = await openWorld();
  }, 120_000);
  afterAll(() => world?.close(), 60_000);

  const opened = () => {
    if (world === undefined) throw new Error('the stack is not up');
    return world;
  };
  tellSessionStory(opened);
  tellGatesStory(opened);
  tellDeploymentsStory(opened);
  tellDomainStory(opened);
  tellRecordsStory(opened);
  tellReverifyStory(opened);
  tellRedirectsStory(opened);
  tellStoreStory(opened);
  tellKeysAndWebhooksStory(opened);
  tellKeyboardStory(opened);
  tellPagesStory(opened);
});
