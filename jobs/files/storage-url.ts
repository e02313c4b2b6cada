import { z } from 'zod';

export type ObjectStore = {
  bucket: string;
  region: string;
  /** The URL of an S3-compatible store other than AWS. */
  endpoint?: string;
};

/**
 * The document store: s3://BUCKET?region=us-east-1, with endpoint=https://… for a store other than AWS.
 * Default: the folder DATA_DIR.
 */
export const StorageUrl = z
  .url({ protocol: /^s3$/, error: 'is an address such as s3://documents?region=us-east-1' })
  .transform((url): ObjectStore => {
    const { hostname: bucket, searchParams } = new URL(url);
    const endpoint = searchParams.get('endpoint');
    const region = searchParams.get('region') ?? 'us-east-1';
    return { bucket, region, ...(endpoint && { endpoint }) };
  })
  .optional();
