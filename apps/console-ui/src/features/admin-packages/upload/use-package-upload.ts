import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { runActivity } from '../../../activities/activity-store';
import { useConsoleApi } from '../../../api/console-api';
import { sendFile } from '../../../api/send-file';
import { useRuntimeConfig } from '../../../app/runtime-config';
import { useSession } from '../../../session/session-context';
import { refreshModels } from '../package-queries';
import { refreshUploads } from './package-uploads';
import { isSentInParts, type PackageFile, type PartedCall, sendInParts } from './send-in-parts';

/** Uploads a package, which goes on when the page is left, and tells how far it is. */
export function usePackageUpload() {
  const { apiUrl } = useRuntimeConfig();
  const session = useSession();
  const api = useConsoleApi();
  const queryClient = useQueryClient();
  const abort = useRef(new AbortController());
  const [sentBytes, setSentBytes] = useState(0);
  const [isWaiting, setIsWaiting] = useState(false);
  const upload = useMutation({
    mutationFn: (wanted: PackageFile) => {
      const { slug, version, file } = wanted;
      abort.current = new AbortController();
      setSentBytes(0);
      return runActivity(
        { kind: 'upload', title: file.name, to: `/admin/models/${slug}` },
        async (onShare) => {
          const call: PartedCall = {
            signal: abort.current.signal,
            onProgress: (bytes) => {
              setSentBytes(bytes);
              onShare(bytes / file.size);
            },
            onWaiting: setIsWaiting,
          };
          if (isSentInParts(file)) return sendInParts({ api, apiUrl, session }, wanted, call);
          const path = `/api/admin/models/${encodeURIComponent(slug)}/packages/${encodeURIComponent(version)}`;
          const url = `${apiUrl}${path}?${new URLSearchParams({ file_name: file.name })}`;
          const headers = { 'Content-Type': 'application/octet-stream' };
          return sendFile(session, { method: 'PUT', url, body: file, headers }, call);
        },
      );
    },
    onSuccess: () => refreshModels(queryClient, api),
    onSettled: () => refreshUploads(queryClient),
  });
  return {
    upload,
    sentBytes,
    isWaiting,
    failure: abort.current.signal.aborted ? null : upload.error,
    stop: () => abort.current.abort(),
  };
}
