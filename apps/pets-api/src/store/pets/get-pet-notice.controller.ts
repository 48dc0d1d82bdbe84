import { Controller, Get, Header } from '@nestjs/common';
import { getPetDeprecation } from './get-pet-deprecation.js';

/** Where the links of getPet's answers lead: for people, without a key, and without anything to load or run. */
@Controller()
export class GetPetNoticeController {
  @Get(getPetDeprecation.noticePath)
  @Header('content-type', 'text/html; charset=utf-8')
  @Header('content-security-policy', "default-src 'none'")
  read(): string {
    return notice;
  }
}

const notice = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>GET /v1/pets/{petId} is deprecated</title>
<h1><code>GET /v1/pets/{petId}</code> is deprecated</h1>
<p>It has been deprecated since <time>${dayOf(getPetDeprecation.deprecatedAt)}</time> and ends at the beginning of
<time>${dayOf(getPetDeprecation.sunsetAt)}</time>, UTC. From then on it answers <code>410</code> with the code
<code>gone</code>.</p>
<p>Call <code>GET /v1/pets</code> with the <code>status</code> filter instead. It returns the same animals with the same
fields, in pages: while there are more, the <code>Link</code> header contains a <code>rel="next"</code> link.</p>
</html>
`;

function dayOf(instant: Date): string {
  return instant.toISOString().slice(0, 10);
}
