import { createHash, randomBytes } from 'node:crypto';
import {
  CreateBucketCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  S3Client,
} from '@aws-sdk/client-s3';
import { describeWithSwift, rememberAnswer, SwiftServer, waitFor } from '@inference/testing';
import { type S3Config } from '@inference/storage';
import { TestSite } from '../../testing/console.fixture';
import { ModelAdmin } from './models.fixture';
import { hexOf, UploadClient } from './uploads/resumable/package-uploads.fixture';
import { PackageCleanupJob } from './model-packages/package-cleanup.job';

/** Larger than one part of a multipart upload. */
const CONTENT = randomBytes(20_000_000);

const environmentOf = ({ bucket, region, endpoint, credentials }: S3Config): Record<string, string> => ({
  STORAGE_FOLDER: '',
  S3_BUCKET: bucket,
  S3_REGION: region,
  S3_ENDPOINT: endpoint!,
  S3_ACCESS_KEY_ID: credentials!.accessKeyId,
  S3_SECRET_ACCESS_KEY: credentials!.secretAccessKey,
  S3_FORCE_PATH_STYLE: 'true',
  S3_PREFIX: 'models/',
});

describeWithSwift('models in a bucket', () => {
  let swift: SwiftServer;
  let client: S3Client;
  let site: TestSite;
  let modelAdmin: ModelAdmin;
  const bucket = 'catalogue';

  beforeAll(async () => {
    swift = await SwiftServer.start();
    const config = swift.config(bucket);
    client = new S3Client({ ...config, endpoint: config.endpoint! });
    await client.send(new CreateBucketCommand({ Bucket: bucket }));
    site = await TestSite.start(environmentOf(config));
    modelAdmin = new ModelAdmin(site, await site.signedIn('admin'));
  });
  afterAll(async () => {
    await site?.stop();
    client?.destroy();
    await swift?.stop();
  });

  const objects = async () => {
    const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: bucket }));
    return Contents.map(({ Key }) => Key);
  };

  const unfinished = async () => {
    const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket }));
    return Uploads.length;
  };

  it('are uploaded, downloaded through a presigned link, and removed', async () => {
    const uploaded = await modelAdmin.upload('acme/model', '1', CONTENT, { query: '?file_name=model.gguf' });
    expect([uploaded.status, uploaded.body]).toEqual([
      201,
      expect.objectContaining({
        size: CONTENT.length,
        sha256: createHash('sha256').update(CONTENT).digest('hex'),
      }),
    ]);
    expect(await objects()).toEqual([expect.stringMatching(/^models\/pkg_\w+$/)]);
    await modelAdmin.store('acme/model', { name: 'Model', version: '1' });
    const redirect = await fetch(`${site.console.url}/api/models/acme/model/download`, {
      redirect: 'manual',
      headers: { Authorization: `Bearer ${modelAdmin.admin.apiKey}` },
    });
    rememberAnswer(redirect.headers);
    expect([redirect.status, redirect.headers.get('cache-control')]).toEqual([302, 'no-store']);
    const location = redirect.headers.get('location')!;
    expect(location).not.toContain(modelAdmin.admin.apiKey);
    const file = await fetch(location);
    expect(file.headers.get('content-disposition')).toContain('model.gguf');
    expect(CONTENT.equals(Buffer.from(await file.arrayBuffer()))).toBe(true);
    const part = await fetch(location, { headers: { Range: 'bytes=19999990-' } });
    expect([part.status, CONTENT.subarray(-10).equals(Buffer.from(await part.arrayBuffer()))]).toEqual([
      206,
      true,
    ]);
    await modelAdmin.store('acme/model', { name: 'Model', version: null });
    await modelAdmin.remove('acme/model', '1');
    await site.database.pool.query(
      "UPDATE catalogue.packages SET removed_at = removed_at - interval '1 hour'",
    );
    await site.console.app.get(PackageCleanupJob).run();
    expect(await objects()).toEqual([]);
  });

  it('leave nothing in the bucket after an interrupted upload', async () => {
    const upload = modelAdmin.startUpload(site.console.url, 'acme/cut', '1', {
      'Content-Length': CONTENT.length,
    });
    upload.on('error', () => undefined);
    upload.write(CONTENT.subarray(0, 18_000_000));
    await waitFor(async () => (await unfinished()) === 1);
    upload.destroy();
    await waitFor(async () => {
      const rows = await site.database.pool.query(
        "SELECT FROM catalogue.packages WHERE slug = 'acme/cut' AND removed_at IS NULL",
      );
      return rows.rowCount === 0;
    });
    await waitFor(async () => (await unfinished()) === 0);
    expect(await objects()).toEqual([]);
  });

  it('arrive in parts, which are joined or removed', async () => {
    const uploads = new UploadClient(site.console.url, modelAdmin.admin);
    const id = await uploads.beginOf('acme/parts', '1', CONTENT, { sha256: hexOf(CONTENT) });
    await uploads.sendParts(id, CONTENT, [2, 1]);
    expect([await unfinished(), await objects()]).toEqual([1, []]);
    await uploads.complete(id);
    expect(await uploads.result(id)).toMatchObject({ state: 'complete', error: null });
    expect([await unfinished(), await objects()]).toEqual([0, [`models/${id}`]]);
    const discarded = await uploads.beginOf('acme/parts', '2', CONTENT);
    await uploads.sendParts(discarded, CONTENT, [1]);
    expect(await unfinished()).toBe(1);
    expect((await uploads.discard(discarded)).status).toBe(204);
    expect([await unfinished(), await objects()]).toEqual([0, [`models/${id}`]]);
  });

  it("have no links to the console's file route", async () => {
    expect((await site.console.request('GET', '/api/files/pkg_1')).status).toBe(404);
  });
});
