// What serves until the command is ended.
import { Observable } from 'rxjs';
import type { Report } from './report.js';

/** Opens a server at subscription, says so, and closes it at the end. */
export function serving<Server extends { close(): Promise<void> }>(
  open: () => Promise<Server>,
  tell: (server: Server) => Report,
): Observable<Report> {
  return new Observable((subscriber) => {
    const opened = open();
    opened.then(
      (server) => {
        subscriber.next(tell(server));
      },
      (error: unknown) => {
        subscriber.error(error);
      },
    );
    return () => {
      // A server that could not be opened has been told already, and one that is closed twice is closed.
      opened.then((server) => server.close()).catch(() => undefined);
    };
  });
}
