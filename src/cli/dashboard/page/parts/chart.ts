// The candle chart: candles with volume, the account's executions and open orders, outages.
import {
  CandlestickSeries,
  createChart,
  createSeriesMarkers,
  CrosshairMode,
  HistogramSeries,
  LineStyle,
  type SeriesMarker,
  type Time,
  type UTCTimestamp,
} from 'lightweight-charts';
import type { CandleRow, Interval } from '../../messages.js';
import { find, make, setText } from '../dom.js';
import { ChartOverlay, type OrderLine, type OverlayColors } from './chart-overlay.js';
import { chartTable } from './chart-table.js';
import type { Page, Part } from './part.js';
import { onTheme } from '../theme.js';
import { executionMarkers, intervalMs, outageBands } from '../views/candle-places.js';
import { isStale } from '../views/ages.js';
import { clock, figure } from '../views/format.js';
import { decimalsOf } from '../views/market.js';
import type { State } from '../views/state.js';

/** Candles between the last one and the edge, where an outage shows. */
const rightOffset = 5;
const maxLines = 20;
const wordsOfLine = { doubt: 'in doubt: ', open: '', old: 'was open: ' } as const;

const timeOf = (at: number) => Math.floor(at / 1000) as UTCTimestamp;

const isDrawable = ({ at, open, high, low, close, volume }: CandleRow) =>
  [at, ...[open, high, low, close, volume].map(Number)].every(Number.isFinite);

export function candles(page: Page): Part {
  const place = find('chart');
  const color = (name: string) => getComputedStyle(place).getPropertyValue(name).trim();
  const overlayColors = (): OverlayColors => ({
    ...{
      own: color('--own'),
      stale: color('--stale'),
      surface: color('--surface'),
      frame: color('--frame'),
      ink: color('--ink2'),
    },
    font: `${color('--label')} Inter, system-ui, sans-serif`,
  });
  const chart = createChart(place, { autoSize: true, layout: { attributionLogo: false } });
  const series = chart.addSeries(CandlestickSeries);
  const volume = chart.addSeries(HistogramSeries, {
    ...{ priceScaleId: '', priceFormat: { type: 'volume' }, lastValueVisible: false, priceLineVisible: false },
  });
  volume.priceScale().applyOptions({ scaleMargins: { top: 0.86, bottom: 0 } });
  const markers = createSeriesMarkers(series, []);
  const overlay = new ChartOverlay(overlayColors());
  series.attachPrimitive(overlay);
  const table = chartTable();
  const ohlc = ['O', 'H', 'L', 'C', 'V'].map((letter) => {
    const value = make('b');
    find('ohlc').append(`${letter} `, value);
    return value;
  });

  let drawn: readonly CandleRow[] = [];
  let looks = '';
  let pointed: number | undefined;
  let last: State | undefined;

  const restyle = (state: State) => {
    const { price: decimals } = decimalsOf(state, state.parts.candles?.market ?? '');
    const [bid, ask, surface] = [color('--bid'), color('--ask'), color('--surface')];
    const next = [bid, ask, surface, color('--ink3'), color('--label'), decimals].join();
    if (next === looks) return false;
    looks = next;
    chart.applyOptions({
      layout: {
        ...{ background: { color: 'transparent' }, textColor: color('--ink3') },
        ...{ fontFamily: 'Inter, system-ui, sans-serif', fontSize: Number.parseFloat(color('--label')) },
      },
      grid: { vertLines: { color: color('--grid') }, horzLines: { color: color('--grid') } },
      rightPriceScale: { borderColor: color('--seam') },
      timeScale: { borderColor: color('--seam'), timeVisible: true, secondsVisible: false, rightOffset, barSpacing: 7 },
      crosshair: { mode: CrosshairMode.Normal },
      localization: { priceFormatter: (value: number) => figure(value.toFixed(decimals)) },
    });
    series.applyOptions({
      ...{ upColor: surface, borderUpColor: bid, wickUpColor: bid },
      ...{ downColor: ask, borderDownColor: ask, wickDownColor: ask },
      ...{ priceLineColor: color('--ink2'), priceLineStyle: LineStyle.Dotted },
      priceFormat: { type: 'price', precision: decimals, minMove: 10 ** -decimals },
    });
    return true;
  };

  const drawPoints = (points: readonly CandleRow[], isRestyled: boolean) => {
    const usable = points.filter(isDrawable);
    const [bidBar, askBar] = [color('--bid-bar'), color('--ask-bar')];
    const changed = usable.findIndex((row, index) => row !== drawn[index]);
    if (changed === -1 && usable.length === drawn.length && !isRestyled) return;
    const candle = ({ at, open, high, low, close }: CandleRow) => ({
      ...{ time: timeOf(at), open: Number(open), high: Number(high), low: Number(low), close: Number(close) },
    });
    const bar = (row: CandleRow) => ({
      ...{ time: timeOf(row.at), value: Number(row.volume) },
      color: Number(row.close) >= Number(row.open) ? bidBar : askBar,
    });
    if (!isRestyled && drawn.length > 0 && changed >= drawn.length - 1 && usable.length >= drawn.length) {
      for (const row of usable.slice(changed)) {
        series.update(candle(row));
        volume.update(bar(row));
      }
    } else {
      series.setData(usable.map(candle));
      volume.setData(usable.map(bar));
    }
    drawn = usable;
  };

  const drawOhlc = (state: State) => {
    const row = drawn.find(({ at }) => at === pointed) ?? drawn.at(-1);
    const { price } = decimalsOf(state, state.parts.candles?.market ?? '');
    const values = row === undefined ? [] : [row.open, row.high, row.low, row.close];
    ohlc.forEach((value, index) => {
      setText(value, index === 4 ? figure(row?.volume) : figure(values[index], price));
    });
  };

  const draw = (state: State) => {
    last = state;
    const {
      candles: part,
      executions: { list: own = [] } = {},
      orders: { inDoubt = [], open = [], state: ordersState } = {},
      about,
    } = state.parts;
    if (part === undefined) {
      drawn = [];
      series.setData([]);
      volume.setData([]);
      return;
    }
    drawPoints(part.points, restyle(state));
    const width = intervalMs[part.interval];
    const { amount } = decimalsOf(state, part.market);
    const kindOfOpen = isStale(ordersState, state) ? 'old' : 'open';
    const lines = [
      ...inDoubt.map((order) => ({ ...order, kind: 'doubt' as const })),
      ...open.map((order) => ({ ...order, price: order.price || order.activationPrice, kind: kindOfOpen }) as const),
    ]
      .filter((order) => order.market === part.market)
      .slice(0, maxLines)
      .map(({ kind, side, price, amount: ordered }): OrderLine => ({
        ...{ price: Number(price), kind },
        text: `${wordsOfLine[kind]}${side} ${figure(ordered, amount)}`,
      }))
      .filter(({ price }) => Number.isFinite(price) && price > 0);
    overlay.show(lines, outageBands({ ...part, points: drawn }, state), overlayColors());
    const marks = executionMarkers(own, part.market, drawn, width);
    markers.setMarkers(
      marks.map(({ at, side }): SeriesMarker<Time> => ({
        time: timeOf(at),
        position: side === 'buy' ? 'belowBar' : 'aboveBar',
        shape: side === 'buy' ? 'arrowUp' : 'arrowDown',
        color: color(side === 'buy' ? '--bid' : '--ask'),
      })),
    );
    drawOhlc(state);
    drawIntervals(page, about?.intervals ?? [], part.interval);
    if (!find('chart-table').hidden) table(drawn, state);
  };
  onTheme(() => {
    if (last !== undefined) draw(last);
  });
  chart.subscribeCrosshairMove(({ time }) => {
    pointed = typeof time === 'number' ? time * 1000 : undefined;
    if (last !== undefined) drawOhlc(last);
  });
  return {
    of: ['candles', 'executions', 'orders', 'about', 'markets'],
    draw,
    tick(state) {
      const { candles: part } = state.parts;
      if (part === undefined) return;
      const { points } = part;
      place.ariaLabel = `Candles of ${part.market}, ${part.interval}, from ${clock(points[0]?.at)} to ${clock(points.at(-1)?.at)}, last close ${figure(points.at(-1)?.close)}. t shows them as a table.`;
      draw(state);
    },
  };
}

function drawIntervals(page: Page, intervals: readonly Interval[], chosen: Interval): void {
  const place = find('intervals');
  if (place.childElementCount !== intervals.length)
    place.replaceChildren(
      ...intervals.map((interval) => {
        const button = make('button', '', interval);
        button.type = 'button';
        button.dataset['interval'] = interval;
        button.addEventListener('click', () => {
          page.choose({ interval });
        });
        return button;
      }),
    );
  for (const button of place.children) button.setAttribute('aria-pressed', String(button.textContent === chosen));
}
