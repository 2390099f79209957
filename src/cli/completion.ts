// Completion for shells: `exchange-rx completion bash` prints a script, which calls `exchange-rx complete` at each Tab.
import { Command, type Argument, type Option } from 'commander';
import { from, map, of } from 'rxjs';
import { oneOf } from './option-parsers.js';
import type { Runner } from './runner.js';
import { text, type SafeText } from './terminal/index.js';

const help = `
Examples:
  $ exchange-rx completion bash >> ~/.bashrc
  $ exchange-rx completion zsh >> ~/.zshrc
  $ exchange-rx completion fish > ~/.config/fish/completions/exchange-rx.fish`;

const scripts: Readonly<Record<'bash' | 'zsh' | 'fish', SafeText>> = {
  bash: text`_exchange_rx() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen -W "$(exchange-rx complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _exchange_rx exchange-rx`,
  zsh: text`_exchange_rx() {
  local -a found
  found=(\${(f)"$(exchange-rx complete -- "\${(@)words[2,CURRENT]}" 2>/dev/null)"})
  compadd -a found
}
(( $+functions[compdef] )) || { autoload -Uz compinit && compinit; }
compdef _exchange_rx exchange-rx`,
  fish: text`function __exchange_rx
  exchange-rx complete -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null
end
complete -c exchange-rx -f -a '(__exchange_rx)'`,
};

const shells = ['bash', 'zsh', 'fish'] as const;

export function completionCommand({ serve }: Runner): Command {
  return new Command('completion')
    .description('print a script that completes verbs, options and values in a shell')
    .argument('<shell>', shells.join(', '), oneOf(shells))
    .addHelpText('after', help)
    .action((shell: (typeof shells)[number], _options: object, command: Command) =>
      serve(command, () => of({ text: scripts[shell], data: { shell, script: scripts[shell].value } })),
    );
}

export function completeCommand({ serve }: Runner): Command {
  return new Command('complete')
    .argument('[words...]')
    .action((words: string[], _options: object, command: Command) =>
      serve(command, () =>
        from(completionsOf(rootOf(command), words)).pipe(map((word) => ({ text: text`${word}`, data: { word } }))),
      ),
    );
}

function rootOf(command: Command): Command {
  return command.parent === null ? command : rootOf(command.parent);
}

export function completionsOf(root: Command, words: readonly string[]): readonly string[] {
  const partial = words.at(-1) ?? '';
  let command = root;
  let waiting: Option | undefined;
  let position = 0;
  for (const word of words.slice(0, -1)) {
    const { commands } = command;
    const child = waiting === undefined ? commands.find((one) => one.name() === word) : undefined;
    if (waiting !== undefined) waiting = undefined;
    else if (word.startsWith('-'))
      waiting = optionsOf(command).find((option) => isNamed(option, word) && option.required);
    else if (child === undefined) position += 1;
    else [command, position] = [child, 0];
  }
  return candidates(command, partial, waiting, position).filter((candidate) => candidate.startsWith(partial));
}

function candidates(command: Command, partial: string, waiting: Option | undefined, position: number): string[] {
  if (waiting !== undefined) return valuesIn(waiting.description);
  if (partial.startsWith('-')) return optionsOf(command).flatMap(({ long }) => long ?? []);
  const verbs = command.commands.flatMap((child) => (child.name() === 'complete' ? [] : [child.name()]));
  const argument: Argument | undefined = command.registeredArguments[position];
  return position === 0 ? [...verbs, ...valuesIn(argument?.description ?? '')] : valuesIn(argument?.description ?? '');
}

function optionsOf(command: Command): readonly Option[] {
  return [...command.options, ...(command.parent === null ? [] : optionsOf(command.parent))];
}

function isNamed({ long, short }: Option, word: string): boolean {
  return word === long || word === short;
}

/** The values that a description lists: `buy or sell`, `main, spot, collateral`, `kind: a, b`. */
function valuesIn(description: string): string[] {
  const list = description.replace(/;.*$/, '').replace(/^[^:]*: /, '');
  return /^[\w-]+(?:(?:, | or )[\w-]+)+$/.test(list) ? list.split(/, | or /) : [];
}
