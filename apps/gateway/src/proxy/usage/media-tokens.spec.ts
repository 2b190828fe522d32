import { MAX_IMAGE_TOKENS } from './media-tokens';
import { base64, chat, frame, part, png, URL, wav } from './prompt.fixture';

const picture = (url: unknown, detail?: string) =>
  chat({ content: [{ type: 'image_url', image_url: { url, detail } }] }) - chat({ content: [] });

describe('the tokens of pictures and audio', () => {
  it.each([
    [1, 1, 255],
    [512, 512, 255],
    [1_024, 1_024, 765],
    [2_048, 4_096, 1_105],
    [768, 2_048, 1_445],
    [100_000, 100, 765],
  ])('are those of the tiles of %d × %d pixels', (width, height, tokens) => {
    expect(picture(png(width, height))).toBe(tokens);
    expect(picture(png(height, width))).toBe(tokens);
  });

  it.each([
    'https://example.com/a.png',
    `data:image/png;base64,${base64(100_000)}`,
    'data:image/png;base64,',
    png(0, 5),
    '',
    undefined,
    5,
  ])('are the most of the rule if the size cannot be read', (url) => {
    expect(picture(url)).toBe(MAX_IMAGE_TOKENS);
  });

  it('are the base of a picture of low detail', () => {
    expect(picture('https://example.com/a.png', 'low')).toBe(85);
  });

  it('count in all forms of the part, and in the answers of tools', () => {
    const source = { type: 'base64', data: png(512, 512).split(',')[1] };
    for (const part of [
      { type: 'input_image', image_url: png(512, 512) },
      { type: 'image', source },
      { type: 'image', image: png(512, 512) },
    ])
      expect(chat({ role: 'tool', content: [part, part] }) - chat({ role: 'tool', content: [] })).toBe(510);
  });

  it('are ten for a second of audio, by the header or by the bytes', () => {
    const audio = (data: string) =>
      chat({ content: [{ type: 'input_audio', input_audio: { data, format: 'wav' } }] }) -
      chat({ content: [] });
    expect(audio(wav(30))).toBe(301);
    expect(audio(wav(10, 48_000))).toBe(101);
    expect(audio(base64(39_999))).toBe(100);
  });
});

const GIF = (width: number) => {
  const bytes = Buffer.alloc(64);
  bytes.write('GIF89a');
  bytes.writeUInt32LE(0x00010001, 6);
  // A comment stands before the frame.
  bytes.set([0x21, 0xfe, 2, 1, 1, 0, 0x2c], 13);
  bytes.writeUInt16LE(width, 24);
  bytes.writeUInt16LE(width, 26);
  return bytes.toString('base64');
};
/** A WAV file of 30 seconds whose chunk before the format pretends to be the format. */
function disguisedWav(id = 'JUNK', lie = (_bytes: Buffer) => {}): string {
  const bytes = Buffer.from(wav(30), 'base64');
  const junk = Buffer.alloc(40, 0xff);
  junk.write(id);
  junk.writeUInt32LE(32, 4);
  junk.write('fmt ', 8);
  lie(bytes);
  return Buffer.concat([bytes.subarray(0, 12), junk, bytes.subarray(12)]).toString('base64');
}

describe('sources that lie or are not there', () => {
  it.each<[string, object]>([
    ['an empty source beside an address', { type: 'audio_url', audio_url: { url: URL }, input_audio: '' }],
    ['an empty content beside an address', { type: 'audio_url', audio_url: { url: URL, data: '' } }],
    ['content beside an address', { type: 'audio_url', audio_url: { url: URL, data: wav(1) } }],
    ['two sources', { type: 'input_audio', input_audio: { data: wav(1) }, audio_url: URL }],
    ['an address of its own', { type: 'audio', audio: wav(1), path: { of: URL } }],
    ['an unknown name in the source', { type: 'audio_url', audio_url: { url: wav(1), href: URL } }],
    ['no source', { type: 'audio' }],
    ['nothing in the source', { type: 'audio', audio: {} }],
    ['a list', { type: 'audio', audio: [URL] }],
    ['a data URL without content', { type: 'audio_url', audio_url: 'data:audio/wav;base64,' }],
    ['spaces before the address', { type: 'audio_url', audio_url: { url: `  ${URL}` } }],
    ['many spaces before the address', { type: 'audio_url', audio_url: `${' '.repeat(99)}${URL}` }],
    ['a path', { type: 'audio_url', audio_url: { url: `/data/${'long/'.repeat(99)}a.wav` } }],
    ['a name', { type: 'audio', audio: 'long' }],
    ['the name of something in a cache', { type: 'video_url', video_url: null, uuid: 'v' }],
    ['audio in a picture', { type: 'image_url', image_url: png(1, 1), audio_url: URL }],
    ['audio in a text', { type: 'text', text: 'x', uuid: 'a', audio_url: { url: URL } }],
    ['control characters before an address', { type: 'note', of: `\u0001${URL}` }],
  ])('are all that was reserved: %s', (_, fields) => {
    expect(part(fields)).toBe(Infinity);
  });

  it.each<[string, number, string]>([
    ['a chunk that contains another format', 302, disguisedWav()],
    ['two formats', 301, disguisedWav('fmt ')],
    ['an absurd rate', 26, disguisedWav('JUNK', (bytes) => bytes.writeUInt32LE(4e9, 24))],
    ['a compressed format', 2_401, disguisedWav('JUNK', (bytes) => bytes.writeUInt16LE(0x55, 20))],
    ['no RIFF', 2_401, disguisedWav('JUNK', (bytes) => bytes.write('FFIR'))],
  ])('count audio with %s as %d at least', (_, tokens, data) => {
    const counted = part({ type: 'input_audio', input_audio: { data, format: 'wav' } });
    expect(counted).toBeGreaterThanOrEqual(tokens - 1);
    expect(part({ type: 'audio_url', audio_url: `DATA:audio/wav;x="a";base64,${data}` })).toBe(counted);
  });

  it.each<[string, object, number]>([
    ['detail beside the picture', { type: 'image_url', image_url: { url: URL }, detail: 'low' }, 1_445],
    ['detail in image_url', { type: 'image_url', image_url: { url: URL, detail: 'low' } }, 85],
    ['detail of an input_image', { type: 'input_image', image_url: URL, detail: 'low' }, 85],
    ['detail in an image', { type: 'image', image: { url: URL, detail: 'low' } }, 1_445],
    ['detail of another picture', { type: 'image_url', image_url: { detail: 'low' }, image: URL }, 1_445],
    ['a second picture', { type: 'image_url', image_url: { url: png(1, 1), data: png(768, 2_048) } }, 1_445],
    ['a small and an empty one', { type: 'image', image: png(1, 1), source: '' }, 1_445],
    ['an address beside it', { type: 'image', image: png(1, 1), path: URL }, 1_445],
    ['a file', { type: 'input_image', file_id: 'file-1' }, 1_445],
    ['a name in a cache', { type: 'image_url', image_url: { url: png(1, 1) }, uuid: 'a' }, 255],
    ['a GIF with a larger frame', { type: 'image', image: GIF(2_048) }, 765],
    ['another alphabet', { type: 'image', image: png(1, 1).replace('AAAA', 'AA-A') }, 1_445],
    [
      'a JPEG with a size in a segment',
      {
        type: 'image',
        image: Buffer.from([
          ...[0xff, 0xd8, 0xff, 0xe1, 0, 12, ...frame(1)],
          ...[0xff, 0x01, 0xff, 0xd0, ...frame(1_024), 0, 0],
        ]).toString('base64'),
      },
      765,
    ],
  ])('count a picture with %s', (_, fields, tokens) => {
    const added = part(fields);
    expect(added).toBeGreaterThanOrEqual(tokens);
    expect(added).toBeLessThan(tokens + 20);
  });
});
