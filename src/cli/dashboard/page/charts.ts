// The page's charts: latency over time, and a small one for each balance.
import uPlot from 'uplot';

/** Times (Unix seconds) and values; `null` is a gap. */
export type Points = [number[], (number | null)[]];

export interface Chart {
  draw(points: Points): void;
  /** Frees the chart, when its place leaves the page. */
  remove(): void;
}

const color = (name: string) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const dark = matchMedia('(prefers-color-scheme: dark)');

/** Latency in milliseconds over time, with axes. */
export function latencyChart(place: HTMLElement): Chart {
  return chartIn(place, () => {
    const axis: uPlot.Axis = {
      stroke: color('--soft'),
      grid: { stroke: color('--edge') },
      ticks: { stroke: color('--edge') },
    };
    return {
      cursor: { y: false },
      legend: { show: false },
      axes: [axis, { ...axis, values: (_plot, values) => values.map((value) => `${value} ms`), size: 70 }],
      scales: { y: { range: (_plot, _min, max) => [0, Math.max(1, max * 1.1)] } },
      series: [{}, { stroke: color('--line'), width: 2, points: { show: false }, spanGaps: false }],
    };
  });
}

/** A balance over time, without axes. */
export function balanceChart(place: HTMLElement): Chart {
  return chartIn(place, () => ({
    cursor: { show: false },
    legend: { show: false },
    axes: [{ show: false }, { show: false }],
    series: [{}, { stroke: color('--line'), width: 1.5, points: { show: false } }],
  }));
}

/** A chart whose size follows its place, and whose colors follow the reader's setting. */
function chartIn(place: HTMLElement, options: () => Omit<uPlot.Options, 'width' | 'height'>): Chart {
  const size = () => ({ width: Math.max(1, place.clientWidth), height: Math.max(1, place.clientHeight) });
  let points: Points = [[], []];
  let plot = new uPlot({ ...options(), ...size() }, points, place);
  const resized = new ResizeObserver(() => {
    plot.setSize(size());
  });
  resized.observe(place);
  const recolor = () => {
    plot.destroy();
    plot = new uPlot({ ...options(), ...size() }, points, place);
  };
  dark.addEventListener('change', recolor);
  return {
    draw(next) {
      points = next;
      plot.setData(points);
    },
    remove() {
      resized.disconnect();
      dark.removeEventListener('change', recolor);
      plot.destroy();
    },
  };
}
