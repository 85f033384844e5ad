"use strict";
// The check in the browser: signatures, digests and links of the log that lies in this page. It knows the bytes of
// a log (sections "Log", "Tape" and "Entries" of protocol.md) and no rule of the game; it fetches nothing.

const Verify = (() => {
  const HEADER = 0, GENESIS = 1, RECORD = 2, ANNEX = 3;
  const ACK = 3, APPEND = 6, SEATED = 12;
  const DIGEST_BYTES = 32;
  const AT_ONCE = 64;
  const text = new TextDecoder("utf-8", { fatal: true });

  const FOUNDING = "the founding", END = "the end of the log", PAGE = "the page", FILE = "the file";

  // Where something is in the log, for the order of what is told.
  function rankOf(where) {
    const entry = /^entry (\d+)$/.exec(where);
    return entry ? Number(entry[1]) : { [FOUNDING]: 0, [END]: 1e9, [PAGE]: 2e9, [FILE]: 3e9 }[where];
  }

  class Unreadable extends Error {}

  // MessagePack: the value at a place and where it ends. Arrays remember where each of their values lies.
  function read(bytes, at) {
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const lead = bytes[at];
    const need = (end) => { if (end > bytes.length) throw new Unreadable("it ends too early"); return end; };
    if (lead === undefined) throw new Unreadable("it ends too early");
    if (lead < 0x80) return [lead, at + 1];
    if (lead >= 0xe0) return [lead - 256, at + 1];
    if (lead >= 0x90 && lead < 0xa0) return readArray(bytes, at + 1, lead - 0x90);
    if (lead >= 0xa0 && lead < 0xc0) return readText(at + 1, lead - 0xa0);
    const width = { 0xc4: 1, 0xc5: 2, 0xc6: 4, 0xd9: 1, 0xda: 2, 0xdb: 4, 0xdc: 2, 0xdd: 4,
      0xcc: 1, 0xcd: 2, 0xce: 4, 0xcf: 8, 0xd0: 1, 0xd1: 2, 0xd2: 4, 0xd3: 8 }[lead];
    if (lead === 0xc0) return [null, at + 1];
    if (lead === 0xc2 || lead === 0xc3) return [lead === 0xc3, at + 1];
    if (width === undefined) throw new Unreadable("it holds a kind of value that no log has");
    const body = need(at + 1 + width);
    const number = width === 8
      ? Number(lead === 0xcf ? view.getBigUint64(at + 1) : view.getBigInt64(at + 1))
      : lead >= 0xd0 && lead <= 0xd2
        ? [view.getInt8, view.getInt16, view.getInt32][lead - 0xd0].call(view, at + 1)
        : width === 1 ? view.getUint8(at + 1) : width === 2 ? view.getUint16(at + 1) : view.getUint32(at + 1);
    if (lead >= 0xcc && lead <= 0xd3) return [number, body];
    if (lead <= 0xc6) return [bytes.subarray(body, need(body + number)), body + number];
    if (lead <= 0xdb) return readText(body, number);
    return readArray(bytes, body, number);

    function readText(start, length) {
      const part = bytes.subarray(start, need(start + length));
      try { return [text.decode(part), start + length]; } catch { throw new Unreadable("a text in it is none"); }
    }
  }

  function readArray(bytes, at, count) {
    const values = [];
    values.spans = [];
    for (let index = 0; index < count; index += 1) {
      const [value, end] = read(bytes, at);
      values.push(value);
      values.spans.push(bytes.subarray(at, end));
      at = end;
    }
    return [values, at];
  }

  function whole(bytes) {
    const [value, end] = read(bytes, 0);
    if (end !== bytes.length || !Array.isArray(value)) throw new Unreadable("it is not one record");
    return value;
  }

  // The objects of a file, back to back; what is left over where an object is cut off.
  function frame(bytes) {
    const objects = [];
    let at = 0;
    while (at < bytes.length) {
      try {
        const [value, end] = read(bytes, at);
        if (!Array.isArray(value)) throw new Unreadable("it is no record");
        objects.push(value);
        at = end;
      } catch (error) {
        if (!(error instanceof Unreadable)) throw error;
        return { objects, rest: bytes.length - at, why: error.message };
      }
    }
    return { objects, rest: 0, why: "" };
  }

  function join(...parts) {
    const joined = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
    let at = 0;
    for (const part of parts) { joined.set(part, at); at += part.length; }
    return joined;
  }

  const labelled = (label, message) => join([label.length], new TextEncoder().encode(label), message);

  async function sha256(bytes) {
    return new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  }

  function tagged(label, ...parts) {
    const framed = [];
    for (const part of parts) {
      const length = new Uint8Array(8);
      new DataView(length.buffer).setBigUint64(0, BigInt(part.length));
      framed.push(length, part);
    }
    return sha256(labelled(label, join(...framed)));
  }

  const hex = (bytes) => Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
  const isBytes = (value, length) => value instanceof Uint8Array && (length === undefined || value.length === length);
  const same = (one, other) => isBytes(one) && isBytes(other) && hex(one) === hex(other);

  function bin(bytes) {
    return join(bytes.length < 256 ? [0xc4, bytes.length] : [0xc5, bytes.length >> 8, bytes.length & 255], bytes);
  }

  // Whether this browser can check an Ed25519 signature at all.
  async function canSign() {
    try {
      await crypto.subtle.importKey("raw", new Uint8Array(32).fill(0).fill(1, 0, 1), { name: "Ed25519" }, false, ["verify"]);
      return true;
    } catch (error) {
      return error.name === "DataError";
    }
  }

  class Check {
    constructor(bytes, claims, progress) {
      Object.assign(this, { bytes, claims, progress });
      this.found = [];
      this.notes = [];
      this.passed = [];
      this.signatures = [];
      this.tapes = new Map();
      this.keys = [];
      this.counts = { entries: 0, items: 0 };
    }

    fail(where, what, kind = 1) { this.found.push({ rank: rankOf(where), kind, told: `${where}: ${what}` }); }

    // What does not hold, in the order of the log; at one place a signature first.
    get failures() {
      const ordered = [...this.found].sort((a, b) => a.rank - b.rank || a.kind - b.kind);
      return ordered.map((each) => each.told);
    }

    name(seat) { return this.claims.seats[seat] ?? `seat ${seat}`; }

    async run() {
      this.isSigned = await canSign();
      if (hex(await sha256(this.bytes)) !== this.claims.sum) {
        this.fail(FILE, "its SHA-256 is not the one that this page names");
      }
      const { objects, rest, why } = frame(this.bytes);
      if (objects.length < 2) { this.fail(FOUNDING, "it is not there: this is no log"); return this; }
      await this.attempt(FOUNDING, () => this.founding(objects[0], objects[1]));
      if (this.match === undefined) return this;
      if (!this.isFounded) {
        this.notes.push("What follows the founding was not checked: it would belong to another match.");
        await this.verifySignatures();
        return this;
      }
      this.last = this.match;
      let annex = null;
      let index = 0;
      for (const object of objects.slice(2)) {
        if (object[0] === ANNEX && annex === null) { annex = object; continue; }
        index += 1;
        const where = `entry ${index}`;
        if (annex !== null) this.fail(END, "something follows it");
        else await this.attempt(where, () => this.record(where, index, object));
        if (index % AT_ONCE === 0) await this.tell(0.4 * index / objects.length);
      }
      if (rest) {
        const where = `entry ${index + 1}`;
        if (why === "it ends too early") this.notes.push(`The log ends in an unfinished object of ${rest} bytes.`);
        else this.fail(where, `it cannot be read: ${why}`);
      }
      this.entries = index;
      this.links();
      if (annex === null) this.notes.push("The log has no end: nobody has signed that it is complete.");
      else await this.attempt(END, () => this.annex(annex));
      this.compare();
      await this.verifySignatures();
      return this;
    }

    async attempt(where, work) {
      try {
        await work();
      } catch (error) {
        if (!(error instanceof Unreadable)) throw error;
        this.fail(where, `it cannot be read: ${error.message}`);
      }
    }

    async tell(share) {
      this.progress(share);
      await new Promise((done) => setTimeout(done));
    }

    // `other`: a second key that it may be of.
    expect(key, label, message, signature, where, what, other = key) {
      if (!isBytes(signature, 64) || !isBytes(key, 32)) this.fail(where, `${what}: no signature of a seat at this table`);
      else this.signatures.push({ keys: [key, other], message: labelled(label, message), signature, where, what });
    }

    async founding(header, signed) {
      const where = FOUNDING;
      if (signed[0] !== GENESIS || !isBytes(signed[1])) throw new Unreadable("no founding follows the header");
      const genesis = whole(signed[1]);
      const seats = genesis[3];
      this.match = await tagged("kemps/v1/genesis", signed[1]);
      // An observer, if there is one, has the tape after those of the seats.
      const people = genesis.length > 6 ? [...seats, genesis[6]] : seats;
      // Of each seat the key of every incarnation, in order.
      this.keys = people.map((one) => [one[0]]);
      this.commitments = people.map((one) => one[1]);
      this.quorum = Math.floor((seats.length + 3) / 2);
      this.seats = seats.length;
      this.isFounded = header[0] === HEADER && same(header[3], this.match);
      if (!this.isFounded) this.fail(where, "it is not the one whose digest the header names");
      else if (header[2] !== genesis[0] || header[4] !== seats.length || header[5] !== genesis[1]) {
        this.fail(where, "the header does not repeat it");
      }
      if (signed[2].length !== people.length) this.fail(where, "not everybody has signed it");
      signed[2].forEach((signature, seat) =>
        this.expect(this.keys[seat]?.[0], "kemps/v1/genesis", this.match, signature, where, `the signature of ${this.name(seat)}`));
      const others = people.length > seats.length ? " and the observer" : "";
      this.passed.push(() => `The founding is signed by all ${seats.length} seats${others}.`);
    }

    // One signed item: its digest names it, its author's tape remembers it.
    async item(signed, where, what) {
      if (!Array.isArray(signed) || !isBytes(signed[0]) || !isBytes(signed[1])) throw new Unreadable("an item is none");
      const item = whole(signed[0]);
      const [match, seat, incarnation, number, prev] = item;
      const told = `${what} (item ${number} of ${this.name(seat)})`;
      const digest = await tagged("kemps/v1/item", signed[0], signed[1]);
      if (!same(match, this.match)) this.fail(where, `${told} belongs to another match`);
      this.expect(this.keys[seat]?.[incarnation], "kemps/v1/item", signed[0], signed[1], where, `the signature of ${told}`);
      if (!this.tapes.has(seat)) this.tapes.set(seat, new Map());
      const tape = this.tapes.get(seat);
      const known = tape.get(number);
      if (known === undefined) tape.set(number, { digest: hex(digest), prev: hex(prev), where });
      else if (known.digest !== hex(digest)) this.notes.push(`${this.name(seat)} signed two items at place ${number} of one tape.`);
      this.counts.items += 1;
      return { item, digest };
    }

    async record(where, index, object) {
      if (object[0] !== RECORD) throw new Unreadable("no entry is there");
      const { item, digest } = await this.item(object[1], where, "the entry itself");
      const append = item[6][0];
      if (append[0] !== APPEND) throw new Unreadable("no entry is in it");
      const entry = whole(append[1]);
      if (entry[0] !== index) this.fail(where, `it says that it is entry ${entry[0]}`);
      if (!same(entry[1], this.last)) this.fail(where, "it does not link to the entry before it");
      this.last = digest;
      this.author = item[1];
      const named = new Set(digestsIn(entry[6], true));
      for (const [place, signed] of object[2].entries()) {
        const carried = await this.item(signed, where, `what it carries in place ${place + 1}`);
        if (!named.delete(hex(carried.digest))) this.fail(where, `it does not name what it carries in place ${place + 1}`);
      }
      for (const event of entry[6]) if (event[0] === SEATED) await this.seated(where, event);
      this.counts.entries += 1;
    }

    // A seat is given to a new incarnation, which signs with a key of its own from now on.
    async seated(where, event) {
      const [, raw, signature] = event;
      const [match, seat, incarnation, key] = whole(raw);
      const told = `the sitting of ${this.name(seat)}`;
      if (!same(match, this.match)) this.fail(where, `${told} is of another match`);
      if (this.keys[seat]?.length !== incarnation) this.fail(where, `${told} is not the next one of its seat`);
      else this.keys[seat].push(key);
      this.expect(key, "kemps/v1/sitting", raw, signature, where, `the signature of ${told}`);
    }

    links() {
      for (const [seat, tape] of this.tapes) {
        for (const [number, one] of tape) {
          const before = tape.get(number - 1);
          if (before !== undefined && one.prev !== before.digest) {
            this.fail(one.where, `item ${number} of ${this.name(seat)} does not link to the item before it`);
          }
        }
      }
      this.passed.push(() => `${this.counts.entries} entries are signed by the seat on duty, and each links to the one before.`);
      this.passed.push(() => `${this.counts.items} items are signed by their seats; each is one that its entry names.`);
    }

    async annex(annex) {
      const where = END;
      const [, seat, certificate, names, signature] = annex;
      const head = join([0x94], bin(this.match), bin(this.last), annex.spans[1], annex.spans[2]);
      // Of whose seat it is, or of who sat there at the end.
      const what = `the signature of ${this.name(seat)}`;
      this.expect(this.keys[seat]?.[0], "kemps/v1/annex", head, signature, where, what, this.keys[seat]?.at(-1));
      for (const [place, [name, salt]] of names.entries()) {
        const opened = await tagged("kemps/v1/name", salt, new TextEncoder().encode(name));
        if (!same(opened, this.commitments[place])) this.fail(where, `the name of ${this.name(place)} is not the one of the founding`);
      }
      const acked = new Set([this.author]);
      for (const [place, signed] of certificate.entries()) {
        const { item } = await this.item(signed, where, `acknowledgement ${place + 1}`);
        const isAck = item[1] < this.seats && item[6].some((said) => said[0] === ACK && same(said[3][1], this.last));
        if (isAck) acked.add(item[1]);
        else this.fail(where, `acknowledgement ${place + 1} is of another entry`);
      }
      if (acked.size < this.quorum) this.notes.push(`Only ${acked.size} of ${this.quorum} seats that are needed stand for the last entry.`);
      this.passed.push(() => `${acked.size} seats stand for the last entry, ${this.quorum} are needed; ${this.name(seat)} signed the end.`);
    }

    compare() {
      if (hex(this.match) !== this.claims.match) this.fail(PAGE, "it tells another match than its log");
      if (this.claims.entries === this.entries && hex(this.last) !== this.claims.head) {
        this.fail(PAGE, "it names another last entry than its log");
      }
      if (this.entries < this.claims.entries) this.fail(PAGE, "it tells more entries than its log has");
    }

    async verifySignatures() {
      if (!this.isSigned) return;
      const every = new Map(this.signatures.flatMap((one) => one.keys.map((key) => [hex(key), key])));
      const keys = new Map(await Promise.all([...every].map(async ([name, key]) =>
        [name, await crypto.subtle.importKey("raw", key, { name: "Ed25519" }, false, ["verify"]).catch(() => null)])));
      for (let at = 0; at < this.signatures.length; at += AT_ONCE) {
        await Promise.all(this.signatures.slice(at, at + AT_ONCE).map(async (one) => {
          let holds = false;
          for (const key of new Set(one.keys.map((each) => keys.get(hex(each))))) {
            holds ||= key !== null
              && await crypto.subtle.verify({ name: "Ed25519" }, key, one.signature, one.message);
          }
          if (!holds) this.fail(one.where, `${one.what} does not hold`, 0);
        }));
        await this.tell(0.4 + 0.6 * at / this.signatures.length);
      }
    }
  }

  // All digests that the events of an entry name, at whatever depth.
  function* digestsIn(value) {
    if (isBytes(value, DIGEST_BYTES)) yield hex(value);
    else if (Array.isArray(value)) for (const each of value) yield* digestsIn(each);
  }

  function bytesOf(encoded) {
    const binary = atob(encoded.trim());
    return Uint8Array.from(binary, (character) => character.charCodeAt(0));
  }

  return {
    bytesOf,
    run: (bytes, claims, progress) => new Check(bytes, claims, progress).run(),
  };
})();
