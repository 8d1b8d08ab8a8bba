/** The keys of a queue, in the order in which the script takes them; one slot of a cluster has them all. */
export function redisKeys(key: string): string[] {
  const parts = [
    ...["stream", "about", "later", "bodies", "ids", "recent"],
    ...["dead", "letters", "keys", "isolated", "behind"],
  ];
  return parts.map((part) => `{${key}}:${part}`);
}

/**
 * Everything that changes a queue, each as a whole: Redis runs a script alone. Its first argument says what is to be
 * done, the second is the tag for a queue that is not there yet.
 */
export const redisScript = `
local STREAM, ABOUT, LATER, BODIES, IDS, RECENT = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5], KEYS[6]
local DEAD, LETTERS, BUSY, ISOLATED, BEHIND = KEYS[7], KEYS[8], KEYS[9], KEYS[10], KEYS[11]
local GROUP, FREE = 'hosepipe', 'free:0'
local call = redis.call
local time = call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)

-- The group is there as long as the stream is. Without it the queue is another: what was beside it is gone as well.
local function open()
  local groups = redis.pcall('XINFO', 'GROUPS', STREAM)
  for _, group in ipairs(groups.err and {} or groups) do
    if group[2] == GROUP then return call('HGET', ABOUT, 'tag') end
  end
  call('XGROUP', 'CREATE', STREAM, GROUP, '0', 'MKSTREAM')
  for _, key in ipairs(call('SMEMBERS', BUSY)) do call('DEL', BEHIND .. ':' .. key) end
  local dead = call('HGET', ABOUT, 'sequence')
  call('DEL', ABOUT, LATER, BODIES, IDS, BUSY, ISOLATED)
  call('HSET', ABOUT, 'tag', ARGV[2], 'sequence', dead or 0)
  return ARGV[2]
end
local tag = open()

-- At its limit of memory Redis refuses a script's first write, if that is one that may need memory, and no other:
-- what adds messages begins with such a one, what workers do with one that needs none.
local working = { receive = 1, ack = 1, nack = 1, extend = 1, isolate = 1, fail = 1, deadLetter = 1 }
if ARGV[1] == 'send' then call('HSETNX', ABOUT, 'tag', tag)
elseif working[ARGV[1]] then call('HDEL', ABOUT, 'nothing') end

local function toTable(fields)
  local entry = {}
  for i = 1, #fields, 2 do entry[fields[i]] = fields[i + 1] end
  return entry
end

local function toFields(entry)
  local fields = {}
  for name, value in pairs(entry) do
    fields[#fields + 1] = name
    fields[#fields + 1] = tostring(value)
  end
  return fields
end

-- Whether it is fields of an entry; more than so many are none of ours, and too many for a command.
local function areFields(fields)
  if type(fields) ~= 'table' or #fields == 0 or #fields % 2 == 1 or #fields > 2000 then return false end
  for _, field in ipairs(fields) do
    if type(field) ~= 'string' and type(field) ~= 'number' then return false end
  end
  return true
end

local function unpacked(packed)
  local isRead, value = pcall(cmsgpack.unpack, packed or '')
  return isRead and value
end

-- An entry that cannot be read goes on as one without a body.
local function unpackedFields(packed)
  local fields = unpacked(packed)
  return areFields(fields) and fields or { 'unreadable', packed or '' }
end

local function leaseOf(consumer) return tonumber(string.match(consumer, '%d+$')) or 30000 end

-- Into the stream, or to be put there later.
local function place(entry, at)
  if at > now then
    local number = call('HINCRBY', ABOUT, 'sequence', 1)
    call('ZADD', LATER, at, number)
    call('HSET', BODIES, number, cmsgpack.pack(toFields(entry)))
  else
    call('XADD', STREAM, '*', unpack(toFields(entry)))
  end
end

-- Of one key the others wait behind the first.
local function add(entry, at)
  if entry.key and call('SADD', BUSY, entry.key) == 0 then
    call('RPUSH', BEHIND .. ':' .. entry.key, cmsgpack.pack({ at, toFields(entry) }))
    call('HINCRBY', ABOUT, 'behind', 1)
  else
    place(entry, at)
  end
end

local function goOn(key)
  if key == '' or not key then return end
  local packed = call('LPOP', BEHIND .. ':' .. key)
  if not packed then return call('SREM', BUSY, key) end
  call('HINCRBY', ABOUT, 'behind', -1)
  local following = unpacked(packed)
  if type(following) == 'table' and tonumber(following[1]) and areFields(following[2]) then
    place(toTable(following[2]), tonumber(following[1]))
  else
    place({ unreadable = packed, key = key }, now)
  end
end

-- The delivery that a receipt means, if it is still that worker's.
local function held(id, consumer, count)
  local found = call('XPENDING', STREAM, GROUP, id, id, 1)[1]
  return found and found[2] == consumer and found[4] == tonumber(count)
end

local function isolations(id)
  local noted = call('HGET', ISOLATED, id)
  if not noted then return 0, 0, false end
  local count, delay, isNow = string.match(noted, '(%d+):(%d+):(%d)')
  return tonumber(count) or 0, tonumber(delay) or 0, isNow == '1'
end

local function remove(id)
  call('XACK', STREAM, GROUP, id)
  call('HDEL', ISOLATED, id)
  return call('XDEL', STREAM, id)
end

local function entryOf(id)
  local found = call('XRANGE', STREAM, id, id)[1]
  return found and toTable(found[2])
end

-- Available to the worker that asks next, with so many deliveries.
local function free(id, count)
  call('XCLAIM', STREAM, GROUP, FREE, 0, id, 'RETRYCOUNT', count, 'JUSTID')
  call('HSET', ABOUT, 'claimAt', 0)
end

local acts = {}

function acts.open() return tag end

-- not before, remembered for, and of each message: kind, body, id, key
function acts.send()
  local due, remember = tonumber(ARGV[3]) or 0, tonumber(ARGV[4])
  call('ZREMRANGEBYSCORE', RECENT, '-inf', now)
  for i = 5, #ARGV, 4 do
    local id, key = ARGV[i + 2], ARGV[i + 3]
    local isKnown = id ~= '' and (call('SISMEMBER', IDS, id) == 1
      or (remember and call('ZSCORE', RECENT, id)))
    if not isKnown then
      local entry = { [ARGV[i]] = ARGV[i + 1], due = math.max(due, now) }
      if id ~= '' then
        entry.id = id
        call('SADD', IDS, id)
        if remember then call('ZADD', RECENT, now + remember, id) end
      end
      if key ~= '' then entry.key = key end
      add(entry, due)
    end
  end
end

-- consumer, the most, the most bytes
function acts.receive()
  local consumer, most, mostBytes = ARGV[3], tonumber(ARGV[4]), tonumber(ARGV[5])
  for _, number in ipairs(call('ZRANGEBYSCORE', LATER, '-inf', now, 'LIMIT', 0, 1000)) do
    call('XADD', STREAM, '*', unpack(unpackedFields(call('HGET', BODIES, number))))
    call('ZREM', LATER, number)
    call('HDEL', BODIES, number)
  end
  local answer, bytes, isFull = { tag, '', '' }, 0, false
  -- Whether there is room for it: the first has it always.
  local function give(id, fields, count)
    local entry = toTable(fields)
    bytes = bytes + #(entry.text or entry.base64 or '')
    if mostBytes and bytes > mostBytes and #answer > 3 then
      free(id, count - 1)
      isFull = true
      return false
    end
    local isolated = isolations(id)
    if isolated > 0 then call('HSET', ISOLATED, id, isolated .. ':0:0') end
    answer[#answer + 1] = { id, count, isolated, fields }
    isFull = #answer - 3 >= most
    return true
  end

  -- Leases that are over, by the length that their worker's name ends with. Not at each call: all are looked at.
  if now >= (tonumber(call('HGET', ABOUT, 'claimAt')) or 0) then
    local from, isOver = '-', false
    while not isFull and not isOver do
      local pending = call('XPENDING', STREAM, GROUP, from, '+', 200)
      isOver = #pending < 200
      for _, one in ipairs(pending) do
        local id, count = one[1], one[4]
        from = '(' .. id
        local _, delay = isolations(id)
        if one[3] >= leaseOf(one[2]) + delay then
          local claimed = call('XCLAIM', STREAM, GROUP, consumer, 0, id)[1]
          if not claimed then call('XACK', STREAM, GROUP, id)
          elseif not give(id, claimed[2], count + 1) or isFull then break end
        end
      end
    end
    call('HSET', ABOUT, 'claimAt', isFull and 0 or now + 200)
  end

  while not isFull do
    local asked = math.min(16, most - (#answer - 3))
    local read = call('XREADGROUP', 'GROUP', GROUP, consumer, 'COUNT', asked, 'STREAMS', STREAM, '>')
    if not read then break end
    for _, entry in ipairs(read[1][2]) do
      -- What comes behind one that is too large comes after it.
      if #answer > 3 and isFull then free(entry[1], 0)
      else give(entry[1], entry[2], 1) end
    end
  end
  if #answer == 3 then
    answer[2] = toTable(call('XINFO', 'STREAM', STREAM))['last-generated-id']
    local soonest = call('ZRANGE', LATER, 0, 0, 'WITHSCORES')[2]
    if soonest then answer[3] = tostring(math.max(0, soonest - now)) end
  end
  return answer
end

-- How often the text of each entry has the mark of what is no text: a client puts it there itself.
function acts.marks()
  local counts = {}
  for i = 3, #ARGV do
    local entry = entryOf(ARGV[i]) or {}
    counts[#counts + 1] = select(2, string.gsub(entry.text or '', '\\239\\191\\189', ''))
  end
  return counts
end

-- the queue's tag, and of each message: entry, id, key
function acts.ack()
  if ARGV[3] ~= tag then return end
  for i = 4, #ARGV, 3 do
    -- No matter who has it now: the work is done.
    if remove(ARGV[i]) == 1 then
      if ARGV[i + 1] ~= '' then call('SREM', IDS, ARGV[i + 1]) end
      goOn(ARGV[i + 2])
    end
  end
end

-- consumer, and of each message: entry, count
function acts.nack()
  for i = 4, #ARGV, 2 do
    local id, count = ARGV[i], ARGV[i + 1]
    if held(id, ARGV[3], count) then
      local isolated, _, isNow = isolations(id)
      if isNow then call('HSET', ISOLATED, id, (isolated - 1) .. ':0:0') end
      free(id, count - 1)
    end
  end
end

function acts.extend()
  for i = 4, #ARGV, 2 do
    if held(ARGV[i], ARGV[3], ARGV[i + 1]) then
      call('XCLAIM', STREAM, GROUP, ARGV[3], 0, ARGV[i], 'IDLE', 0, 'JUSTID')
    end
  end
end

-- consumer, entry, count, delay
function acts.isolate()
  local id, isolated, _, isNow = ARGV[4], isolations(ARGV[4])
  if held(id, ARGV[3], ARGV[5]) and not isNow then
    call('HSET', ISOLATED, id, (isolated + 1) .. ':' .. ARGV[6] .. ':1')
  end
end

-- Entries that were handed over, and whose worker has not said what became of them; more than a few say no more.
function acts.orphans()
  local count, from = 0, '-'
  while count < 3 do
    local pending = call('XPENDING', STREAM, GROUP, from, '+', 200)
    for _, one in ipairs(pending) do
      from = '(' .. one[1]
      local isolated, delay = isolations(one[1])
      local isHeld = one[2] ~= FREE and one[3] < leaseOf(one[2]) + delay
      if isolated <= 1 and one[4] > (isHeld and 1 or 0) then count = count + 1 end
    end
    if #pending < 200 then break end
  end
  return count
end

-- consumer, delay, and of each message: entry, count
function acts.fail()
  for i = 5, #ARGV, 2 do
    local id, count = ARGV[i], ARGV[i + 1]
    local entry = held(id, ARGV[3], count) and entryOf(id)
    if entry then
      -- It keeps its id in another entry: an entry cannot be held for longer than a lease.
      entry.entry = entry.entry or id
      entry.deliveries = (tonumber(entry.deliveries) or 0) + count
      entry.failures = (tonumber(entry.failures) or 0) + 1
      remove(id)
      place(entry, now + ARGV[4])
    end
  end
end

-- consumer, entry, count, id, reason
function acts.deadLetter()
  local id, name = ARGV[4], ARGV[6]
  local entry = held(id, ARGV[3], ARGV[5]) and entryOf(id)
  if not entry then return end
  entry.deliveries = (tonumber(entry.deliveries) or 0) + ARGV[5]
  entry.reason, entry.diedAt = ARGV[7], now
  remove(id)
  if entry.id then call('SREM', IDS, entry.id) end
  call('ZADD', DEAD, call('HINCRBY', ABOUT, 'sequence', 1), name)
  call('HSET', LETTERS, name, cmsgpack.pack(toFields(entry)))
  goOn(entry.key)
end

function acts.depth()
  local pending, leased = call('XPENDING', STREAM, GROUP), 0
  for _, one in ipairs(pending[4] or {}) do
    if one[1] ~= FREE then leased = leased + one[2] end
  end
  local elsewhere = call('ZCARD', LATER) + (call('HGET', ABOUT, 'behind') or 0)
  return { call('XLEN', STREAM) - leased + elsewhere, leased, call('ZCARD', DEAD) }
end

-- By the first in the stream, and by those that wait after a failure.
function acts.oldest()
  local oldest = now
  local first = call('XRANGE', STREAM, '-', '+', 'COUNT', 1)[1]
  if first then oldest = tonumber(toTable(first[2]).due) or tonumber(string.match(first[1], '%d+')) end
  for _, number in ipairs(call('ZRANGE', LATER, 0, 999)) do
    local entry = toTable(unpackedFields(call('HGET', BODIES, number)))
    oldest = math.min(oldest, tonumber(entry.due) or now)
  end
  return now - oldest
end

-- how many, behind which
function acts.list()
  local from = call('ZSCORE', DEAD, ARGV[4]) or 0
  local letters = {}
  for _, id in ipairs(call('ZRANGEBYSCORE', DEAD, '(' .. from, '+inf', 'LIMIT', 0, ARGV[3])) do
    letters[#letters + 1] = { id, unpackedFields(call('HGET', LETTERS, id)) }
  end
  return letters
end

-- all or some, and these
local function chosen()
  if ARGV[3] == 'all' then return call('ZRANGE', DEAD, 0, -1) end
  local ids = {}
  for i = 4, #ARGV do ids[#ids + 1] = ARGV[i] end
  return ids
end

function acts.replay()
  local count = 0
  for _, id in ipairs(chosen()) do
    local packed = call('HGET', LETTERS, id)
    if packed and call('SADD', IDS, id) == 1 then
      local letter = toTable(unpackedFields(packed))
      call('ZREM', DEAD, id)
      call('HDEL', LETTERS, id)
      add({ text = letter.text, base64 = letter.base64, key = letter.key, id = id, due = now }, now)
      count = count + 1
    end
  end
  return count
end

function acts.purge()
  local count = 0
  for _, id in ipairs(chosen()) do
    count = count + call('ZREM', DEAD, id)
    call('HDEL', LETTERS, id)
  end
  return count
end

return acts[ARGV[1]]()
`;
