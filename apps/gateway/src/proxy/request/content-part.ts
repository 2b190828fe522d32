/** An object of a body, whose fields nothing has validated. */
export type Fields = Record<string, unknown>;

/** Fields that hold a picture or audio in a part whose `type` says that it is one: its content, or an object with it. */
export const IMAGE_SOURCES = ['image_url', 'image', 'source', 'url', 'data', 'file_id'] as const;
export const AUDIO_SOURCES = ['input_audio', 'audio_url', 'audio', 'source', 'url', 'data'] as const;
/** Fields of the object inside such a field that hold the content. */
export const CONTENT_FIELDS = ['url', 'data'] as const;

/** Names that are written out are read several times faster. */
export const holdsOtherThanImage = (part: Fields): boolean =>
  (part.input_audio ?? part.audio_url ?? part.audio ?? part.video_url ?? part.file ?? null) !== null;

/** Whether a part has a field of media. Some servers read it whatever the `type` says, vLLM if there is a `uuid`. */
export const holdsMedia = (part: Fields): boolean =>
  (part.image_url ?? part.image ?? null) !== null || holdsOtherThanImage(part);
