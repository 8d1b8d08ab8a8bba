/** What the signs of the picture mean. */
export function Legend() {
  return (
    <ul class="legend" aria-label="Legend">
      <li>
        <i class="slot free" /> free
      </li>
      <li>
        <i class="slot waiting" /> waiting
      </li>
      <li>
        <i class="slot hand" /> being processed: it keeps its place
      </li>
      <li>
        <i class="slot over" /> beyond the highWaterMark
      </li>
      <li>
        <i class="mark-sign" /> highWaterMark
      </li>
      <li>
        <i class="valve" /> open
      </li>
      <li class="shut">
        <span class="tube">
          <i class="valve" />
        </span>{" "}
        shut: no room, so no call
      </li>
    </ul>
  );
}
