import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import {
  createTestDatabase,
  insertAccount,
  type Issuer,
  publishPrices,
  ScriptedModel,
  startIssuer,
  type TestDatabase,
} from '@inference/testing';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import { type Browser, type Page } from 'playwright-core';
import { ClientPage } from '../clients/client-page';
import { launchChromium } from '../site/chromium';
import { MemoCaller } from './memo-calls';
import { findProgram, Nginx } from '../site/nginx';
import { type ServiceProcess } from '../site/service-process';
import { Site } from '../site/site';

const MODEL = 'scripted';
const QUESTION = 'Within how many days are refunds issued?';
const POLICY = { title: 'Refund policy', text: 'Refunds are issued within five days of the return.' };

/** Texts of the model, each with the text that clients read if it differs. */
const PARTS: [written: string, read?: string][] = [
  // An indented beginning, and blank lines in front of it.
  ['\n\n    Five days [1].'],
  [
    'Call it:\n\n```python\ndef refund(days):\n    if days > 5:\n\t\treturn None\n\n    return days\n```\nDone.',
  ],
  ['List:\n  - one\n    - two\n\n\n      * three\n 4. four'],
  ['\tfive\tdays\n\t\tsix\tdays'],
  ['Five\r\ndays\r\n\r\n  [1].\rOr six\n\rdays', 'Five\ndays\n\n  [1].\nOr six\n\ndays'],
  ['Yes 😀 👩‍👩‍👧 🇨🇳\n  😀'],
  // Lookalikes of the citations line and of fields of the protocol, and special characters of the shell.
  ['Citations: none\nCitations: [1] "x"\n  Citations: none\n[1]\nCitations:\nCitation'],
  ['data: [1]\ndata\n:\n: x\nevent: error\nid: 7\nretry: 1\n\ndata:  y'],
  ['C:\\new\\table \\\n $HOME `date` $(date) * ? "\'" %s [1]\\'],
  // Spaces that no client treats as white space.
  ['\ufeff五天\u3000[1]\u00a0\n\u3000六天\u2028七天\u0085.'],
  // Spaces at the end of lines are removed, because clients that read line by line drop them.
  ['Five  \n  days \t\n \n\t\n[1].   \nOr six \n\n \t', 'Five\n  days\n\n\n[1].\nOr six'],
];
const WRITTEN = PARTS.map(([written]) => written).join('\n');
const TEXT = PARTS.map(([written, read = written]) => read).join('\n');

/** Ways to divide the text into the deltas of the model. A surrogate pair may be divided too. */
const CUTS: [how: string, cut: (written: string) => string[]][] = [
  ['as a whole', (written) => [written]],
  ['in single characters', (written) => written.split('')],
  ['in words', (written) => written.split(/(?<=\s)(?=\S)/)],
  ['in lines', (written) => written.split(/(?<=\n)/)],
  ['in pieces of seven', (written) => written.match(/.{1,7}/gs)!],
];

const curl = findProgram('curl');
const bash = findProgram('bash');
const nginx = findProgram('nginx');
const browser = findProgram('chromium');
const ifThere = (...programs: (string | undefined)[]) => (programs.every(Boolean) ? test : test.skip);

let database: TestDatabase;
let issuer: Issuer;
let site: Site;
let model: ScriptedModel;
let page: ClientPage;
let memo: ServiceProcess;
let workspace: string;
let documentId: string;
let key: string;

beforeAll(async () => {
  [database, issuer, model, page] = await Promise.all([
    createTestDatabase(),
    startIssuer(),
    ScriptedModel.start(),
    ClientPage.start(),
  ]);
  await publishPrices(database.pool, [{ slug: MODEL, unit: 'per_million_tokens', ratePicos: 1_000n }]);
  const { accountId } = await insertAccount(database.pool, { balancePicos: 1_000_000_000_000n });
  const { token } = await issuer.signIn(database.pool, accountId);
  site = new Site(database);
  const gateway = await site.startGateway({ url: new URL(model.url).origin });
  memo = await site.startMemo(gateway, {
    CONSOLE_URL: issuer.url,
    CHAT_MODEL: MODEL,
    CORS_ORIGINS: page.origin,
  });
  const owner = new MemoCaller(memo.url, { Authorization: `Bearer ${token}` });
  workspace = await owner.newWorkspace();
  documentId = await owner.addDocument(workspace, POLICY);
  key = await owner.newKey(workspace);
});

afterAll(async () => {
  await page?.stop();
  await site?.stop();
  model?.close();
  await issuer?.close();
  await database?.drop();
});

/** The data of the events, by one reader of a stream. */
type Read = () => Promise<string[]>;

const path = () => `/v1/workspaces/${workspace}/chat`;
const BODY = JSON.stringify({ query: QUESTION });
const headers = () => ({ 'X-API-Key': key, 'Content-Type': 'application/json' });

const ask = (url: string) => fetch(`${url}${path()}`, { method: 'POST', headers: headers(), body: BODY });

function say(pieces: string[]): void {
  model.says((answer) => {
    for (const content of pieces) answer.delta({ content });
    answer.finish('stop');
  });
}

async function expectAllToBeRead(read: Read): Promise<void> {
  const citations = `Citations: [1] "${POLICY.title}" (${documentId}#0): "${POLICY.text}"`;
  for (const [how, cut] of CUTS) {
    say(cut(WRITTEN));
    const events = await read();
    expect([how, events.at(-1)]).toEqual([how, citations]);
    expect([how, ...events.slice(0, -1).join('').split('\n')]).toEqual([how, ...TEXT.split('\n')]);
  }
}

/** Shell loop that joins the data lines of each event, without the space after the colon, and ends each event with NUL. */
const loop = (read: string) => `
  curl -sSN "$URL" -H "X-API-Key: $KEY" -H 'Content-Type: application/json' -d "$BODY" | {
    while ${read} line; do
      case "$line" in
        data:*) piece="\${line#data:}"; text="$text\${more:+$'\\n'}\${piece# }"; more=1 ;;
        '') [ -n "$more" ] && printf '%s\\0' "$text"; text=; more= ;;
      esac
    done
  }`;

const readByShell = (read: string) => async () => {
  const { stdout } = await promisify(execFile)(bash!, ['-c', loop(read)], {
    env: { PATH: process.env.PATH, LC_ALL: 'C.UTF-8', URL: `${memo.url}${path()}`, KEY: key, BODY },
  });
  return stdout.split('\0').slice(0, -1);
};

describe('all that was written is read', () => {
  ifThere(bash, curl)('by curl -N | while IFS= read -r', () =>
    expectAllToBeRead(readByShell('IFS= read -r')),
  );

  ifThere(bash, curl)('by curl -N | while read -r', () => expectAllToBeRead(readByShell('read -r')));

  test('by fetch and eventsource-parser', () =>
    expectAllToBeRead(async () => {
      const response = await ask(memo.url);
      const seen: string[] = [];
      const events = response
        .body!.pipeThrough(new TextDecoderStream())
        .pipeThrough(new EventSourceParserStream());
      for await (const { id, event, data } of events) {
        expect([id, event]).toEqual([undefined, undefined]);
        seen.push(data);
      }
      return seen;
    }));

  ifThere(browser)('by a page of another origin', async () => {
    const chrome = await launchChromium(browser!);
    try {
      const tab = await openPage(chrome);
      await expectAllToBeRead(() => readByPage(tab));
    } finally {
      await chrome.close();
    }
  });
});

async function openPage(chrome: Browser): Promise<Page> {
  const tab = await chrome.newPage();
  await tab.goto(page.origin);
  return tab;
}

/** A reader that uses only `fetch` and the streams of browsers. */
function readByPage(tab: Page): Promise<string[]> {
  return tab.evaluate(
    async ({ url, ...request }) => {
      const response = await fetch(url, { method: 'POST', ...request });
      if (!response.headers.get('X-Conversation-Id')) throw new Error('no conversation');
      const reader = response.body!.getReader();
      const decoder = new TextDecoder();
      let text = '';
      for (let part = await reader.read(); !part.done; part = await reader.read())
        text += decoder.decode(part.value, { stream: true });
      return text.split('\n\n').flatMap((event) => {
        const lines = event.split('\n').filter((line) => line.startsWith('data:'));
        return lines.length === 0 ? [] : [lines.map((line) => line.slice('data: '.length)).join('\n')];
      });
    },
    { url: `${memo.url}${path()}`, headers: headers(), body: BODY },
  );
}

test('the citations are the last line of data, and no other line looks like them', async () => {
  for (const [how, cut] of CUTS) {
    say(cut(WRITTEN));
    const lines = (await (await ask(memo.url)).text()).split('\n').filter((line) => /^data:/.test(line));
    const found = lines.flatMap((line, index) => (line.startsWith('data: Citations:') ? [index] : []));
    expect([how, found]).toEqual([how, [lines.length - 1]]);
  }
});

ifThere(nginx)('nginx as it comes passes on each piece at once', async () => {
  const proxy = await Nginx.start(nginx!, memo.url);
  try {
    let goOn: () => void = () => undefined;
    const silence = new Promise<void>((resolve) => (goOn = resolve));
    model.says(async (answer) => {
      answer.delta({ content: 'Five days' });
      await silence;
      answer.delta({ content: ' [1].' });
      answer.finish('stop');
    });
    const response = await ask(proxy.url);
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader();
    let seen = '';
    const readUntil = async (text: string) => {
      while (!seen.includes(text)) seen += (await reader.read()).value ?? `\n(ended without ${text})${text}`;
    };
    await readUntil('data: Five days\n\n');
    goOn();
    await readUntil('data: Citations: [1] ');
    expect(seen).toContain('data:  [1].\n\n');
  } finally {
    await proxy.stop();
  }
});
