// A small chart of points over time, with one or two labels at its left and times below.
import uPlot from 'uplot';
import { onTheme } from '../theme.js';
import { roundUp, short, shortMs, timeLabels } from '../views/format.js';

export interface ChartPoint {
  readonly at: number;
  /** `null`: a gap. */
  readonly value: number | null;
}

const axisWidth = 46;
const axisHeight = 22;
const right = 8;

/** Draws points into `place`, which decides the size. Colors are those of the place, so that a stale one has none. */
export function sparkline(place: HTMLElement, kind: 'latency' | 'equity'): (points: readonly ChartPoint[]) => void {
  let plot: uPlot | undefined;
  let key = '';
  const color = (name: string) => getComputedStyle(place).getPropertyValue(name).trim();
  const size = () => ({ width: Math.max(1, place.clientWidth), height: Math.max(1, place.clientHeight) });
  const create = (): uPlot => {
    const axis = {
      stroke: color('--ink3'),
      font: `${color('--label')} Inter, system-ui, sans-serif`,
      ticks: { show: false },
      gap: 4,
    };
    const grid = { stroke: color('--seam'), width: 1 };
    return new uPlot(
      {
        ...size(),
        padding: [8, right, 0, 4],
        cursor: { show: false },
        legend: { show: false },
        scales: {
          y: {
            range: (_plot, min, max) => {
              if (kind === 'latency') return [0, roundUp(max)];
              const pad = Math.max((max - min) * 0.1, Math.abs(max) * 1e-6, 1e-9);
              return [min - pad, max + pad];
            },
          },
        },
        axes: [
          {
            ...axis,
            grid,
            size: axisHeight,
            space: 90,
            values: (within, times) => {
              const roomOf = (at: number) => within.over.clientWidth + right - within.valToPos(at / 1000, 'x');
              return timeLabels(
                times.map((time) => time * 1000),
                roomOf,
              );
            },
          },
          {
            ...axis,
            grid: { show: false },
            size: axisWidth,
            space: 24,
            ...(kind === 'latency'
              ? { splits: (_plot: uPlot, _axis: number, min: number, max: number) => [min, max] }
              : {}),
            values: (_plot, values) => values.map(kind === 'latency' ? shortMs : short),
          },
        ],
        series: [
          {},
          {
            stroke: color('--ink2'),
            width: 1,
            points: { show: false },
            ...(kind === 'equity' ? { fill: color('--stale-bar') } : {}),
          },
        ],
      },
      [[], []],
      place,
    );
  };
  let drawn: readonly ChartPoint[] = [];
  const draw = () => {
    const looks = `${color('--ink2')} ${color('--seam')} ${color('--label')}`;
    if (looks !== key) {
      plot?.destroy();
      plot = create();
      key = looks;
    }
    plot?.setData([drawn.map(({ at }) => at / 1000), drawn.map(({ value }) => value)]);
  };
  new ResizeObserver(() => {
    if (place.clientWidth === 0) return;
    if (plot === undefined) draw();
    else plot.setSize(size());
  }).observe(place);
  onTheme(draw);
  return (points) => {
    drawn = points;
    if (place.clientWidth > 0) draw();
  };
}
