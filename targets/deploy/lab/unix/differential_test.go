package unix

import (
	"bytes"
	"errors"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/lang/langtest/machinetest"
)

// scripts behave on a device as under dash with GNU coreutils: output, error messages and status are equal. Each script runs in an empty
// directory. For a script with "#err" at the end, only the first words of the error message must be equal.
var scripts = []string{
	// the shell
	`echo hello; echo -n a b; echo`,
	`x=5; echo "$x" '$x' $((x * 2 + 1))`,
	`set -- a 'b c' d; echo $# "$2"; for i; do echo "<$i>"; done; shift; echo "$@"`,
	`f() { echo "in $1"; return 3; }; f x; echo $?`,
	`f() { local x=1; x=2; echo $x; }; x=9; f; echo $x`,
	`a=/usr/lib/x.tar.gz; echo ${a##*/} ${a%.gz} ${a%%.*} ${a#/} ${b:-def} ${#a}`,
	`case abc in a*) echo star ;; *) echo no ;; esac`,
	`if false; then echo a; elif true; then echo b; else echo c; fi`,
	`i=0; while [ $i -lt 3 ]; do i=$((i + 1)); [ $i = 2 ] && continue; echo $i; done; until false; do break; done`,
	`until (exit 65); do echo $?; break; done; while ! (exit 3); do echo $?; break; done; if (exit 4); then :; else echo $?; fi`,
	`printf '%s\n' a b c | while read -r x; do echo "got $x"; done`,
	"cat <<END\n$((1 + 1)) `echo x`\nEND\ncat <<'END'\n$x\nEND",
	`(cd / && pwd); x=$(echo hi; echo there); echo "$x"; echo $x`,
	`echo err >&2; echo out; { echo both; echo e2 >&2; } 2>&1`,
	`nosuchcommand; echo $?`,
	`true && echo yes || echo no; false || echo or; ! true; echo $?`,
	`set -e; false || true; echo on; false; echo never`,
	`set -u; echo ${nope-unset}; echo set`,
	`eval 'y=7; echo $y'; eval "echo \"a  b\""`,
	`trap 'echo bye' EXIT; echo hi`,
	`trap 'echo bye' EXIT HUP INT; exit 4`,
	`export A=1 B; B=2; sh -c 'echo $A $B'`,
	`A=1 sh -c 'echo $A'; echo "[$A]"`,
	`readonly R=1; echo $R`,
	`IFS=,; set -- $(echo a,b,c); echo $#`,
	`IFS=: read -r a b c <<END
x:y:z w
END
echo "$a|$b|$c"`,
	`echo {a,b} {1..3} ~nobodyhere`,
	`printf '%s-%s\n' a b c; printf '%d %05d %x %c|%5s|%-5s|\n' 7 7 255 xyz ab cd; printf '%%\n'; printf 'a\tb\n'`,
	`printf '%b' 'x\ny\n'; printf '%d\n' abc; echo $?`,
	`echo 'a\tb' 'c\\d'`,
	`[ a = a ] && [ a != b ] && [ -n x ] && [ -z "" ] && [ 3 -gt 2 ] && ! [ 3 -le 2 ] && echo ok`,
	`[ a -eq 1 ]; echo $?; [ x; echo $?; test; echo $?; [ "" ]; echo $?; [ ! "" ]; echo $?; [ = ]; echo $?`,
	`[ -f x ] || echo none; : >x; [ -f x ] && [ -e x ] && [ ! -s x ] && [ ! -d x ] && echo file; mkdir d; [ -d d ] && echo dir; [ -r x ] && [ -w x ] && [ ! -x x ] && echo rw`,
	`[ a = a -a b = b ] && echo and; [ a = b -o b = b ] && echo or; [ \( a = a \) ] && echo paren`,
	`ln -s x l; [ -h l ] && [ -L l ] && echo link; [ -e l ] || echo dangling`,
	`for f in *; do echo "$f"; done; touch b a c; for f in *; do echo "$f"; done; echo [ab] nope*`,
	`umask; umask 077; touch p; stat -c %a p; (umask 0; touch q); stat -c %a q`,
	`command -v cat >/dev/null && echo cat; command -v nosuch || echo none; command echo via`,
	`type echo cat nosuch >/dev/null; echo $?`,
	`. ./lib; echo $?`,
	`echo 'v=3' >lib; . ./lib; echo $v; cd /; echo ok`,
	`echo one >f; echo two >>f; cat f; cat <f; cat f f | wc -l; : >f; cat f`,
	`exec echo last; echo never`,
	`sh -s a b <<'END'
echo $0 $# $2
END`,
	`sh -c 'echo $0 $1' name arg; sh -c 'exit 9'; echo $?`,
	`echo 'echo script $1' >s; sh s x; chmod +x s; ./s y; echo $?`,
	`printf '#!/bin/sh\necho shebang $1\n' >s; chmod 755 s; ./s z; chmod 644 s; ./s; echo $?`,
	`x=$(false); echo $?; x=$(exit 3) || echo "failed $?"`,
	`err=$({ cat >/nonexistent/x; } 2>&1) || echo failed`,
	`f() { err=$("$@" 2>&1) || echo "E: $err"; }; f cat nope; f rmdir nope; f mkdir a/b`,
	`sleep 0; echo slept; timeout 5 sh -c 'exit 7'; echo $?; timeout 5 true; echo $?`,
	`set -- "a b" c; printf '[%s]' "$@"; echo; printf '[%s]' "$*"; echo`,
	`x='a b'; set -- $x; echo $#; set -f; echo *; set +f`,
	`while read -r a b; do echo "$b $a"; done <<END
1 2
3 4
END`,
	`printf 'no newline' >f; read -r x <f; echo "$? $x"; { read -r y <f; } || [ -n "$y" ] && echo "$y"`,
	`echo a | { read x; echo "<$x>"; }; echo b | cat | cat`,
	`(echo sub; exit 5); echo $?; { echo grp; }`,
	`true | false; echo $?; false | true; echo $?`,
	`wait; echo x & wait; echo done`,
	`hash; echo fine`,
	`echo "$(cat <<END
inner
END
)"`,
	`set -o pipefail; echo $?`,
	`shopt -s nullglob; echo $?`,
	`declare x=1; echo $?`,
	`source ./x; echo $?`,
	`(; echo x`,

	// processes
	`sh -c 'kill $$'; echo $?; sh -c 'kill -HUP $$'; echo $?; sh -c 'kill -9 $$'; echo $?; sh -c 'kill -s USR1 $$'; echo $?`,
	// dash prints the signal if the process ends during the wait, and prints nothing if it ended before; the lab always prints it
	`sleep 5 & p=$!; (sleep 0.3; kill $p) & wait $p; echo $?`,
	`sleep 5 & p=$!; (sleep 0.3; kill -KILL $p) & wait $p; echo $?`,
	`sleep 5 & p=$!; kill -0 $p; echo $?; kill -TERM $p; wait $p 2>/dev/null; echo $?; kill -0 $p; echo $?`,
	`trap 'echo got' TERM; kill $$; echo after`,
	`trap '' HUP; sh -c 'kill -HUP $$; echo alive'`,
	`trap 'echo t; exit 9' TERM; sleep 0.3 & (sleep 0.1; kill $$) & wait; echo not`,
	`wait 99999; echo $?; (exit 3) & wait $!; echo $?; false & wait; echo $?`,
	`kill -0 99999; echo $?; kill abc; echo $?; kill; echo $?`,
	`kill -l 15; kill -l 143; kill -s TERM -- -99999; kill -TERM -99999; kill -- -99999; echo $?`,
	`kill -TERM -- -99999; echo $?`,
	`/bin/kill -TERM -- -99999; echo $?; kill -FOO 1; echo $?`,
	`setsid sh -c 'kill -TERM -$$'; echo $?`,
	`{ setsid sh -c 'sleep 5; echo no' & p=$!; sleep 0.2; kill -s TERM -- -$p; echo $?; wait $p; echo $?; } 2>/dev/null`,
	`setsid sh -c 'sleep 0.1; echo out >f' & sleep 0.5; cat f`,
	`setsid; echo $?; setsid nosuch; echo $?; setsid -w sh -c 'exit 4'; echo $?`,
	`nohup nosuch; echo $?; nohup sh -c 'kill -HUP $$; echo alive'; echo $?`,
	`flock -n f true; echo $?; flock f -c 'echo in'; flock -n f sh -c 'flock -n f true; echo $?'; flock -w 1 f sh -c 'flock -w 0.2 f true; echo $?'`,
	`flock; echo $?; flock x; echo $?; flock -n -E 9 f flock -n -E 9 f true; echo $?; flock -o f echo on; flock -n d/f true; echo $?`,
	`flock f sh -c 'sleep 0.3 & exit 0'; flock -n f true; echo $?; flock -o f sh -c 'sleep 0.3 & exit 0'; flock -n g true; echo $?; sleep 0.5; flock -n f true; echo $?`,
	`timeout 0.1 sleep 5; echo $?; timeout -k 1 2 sh -c 'trap "" TERM; sleep 2.4; sleep 5'; echo $?; timeout -s KILL 0.1 sleep 5; echo $?`,
	`x=$(sleep 0.2 & echo on); echo $x; y=$(sleep 5 >/dev/null & echo $!); kill $y; echo $?`,
	`{ echo a; sleep 0.1; echo b; } | while read -r l; do echo "<$l>"; done; echo a | { read -r x; cat; echo $x; }`,
	`printf 'abcdef' | { head -c 3; echo; cat; echo; }; printf '1\n2\n3\n' | { read -r a; cat; echo $a; }`,
	`exec 3>&1; echo three >&3; { echo err >&2; } 2>&3; exec 3>&-; { echo x >&3; } 2>/dev/null; echo $?; exec >f; echo in; exec >&2; cat f`,
	`f() { return 300; }; f; echo $?; break; echo $?; return 3; echo no`,
	`exit abc; echo x`, `shift 5; echo y`, `readonly A=1; A=2; echo no`, `unset -f nope; echo $?; local x; echo no`,
	`set -u; echo $nope; echo no`, `echo ${x?msg}; echo no`, `x=; echo ${x:?}; echo no`, `read; echo $?`, `trap bad NOSUCH; echo $?`,
	`set -e; f() { false; echo not; }; f || echo or; if f; then echo yes; fi; f; echo never`,
	`set -e; x=$(false) || echo caught; ! true; while false; do :; done; (exit 3); echo never`,
	`cd nosuch; echo $?; mkdir d; cd d; cd ..; cd - >/dev/null; echo ${PWD##*/}`,
	`x=1; x=3 command eval 'echo $x'; echo $x; x=4 :; echo $x; f() { echo $x; }; x=5 f; echo $x`,
	`case 'a]b' in *]*) echo 1 ;; esac; case a-b in [!a]*) echo no ;; [a-c]?[b]) echo 2 ;; esac; case '*' in '*') echo 3 ;; esac; case x5 in x[[:digit:]]) echo 4 ;; esac; case '[' in [) echo 5 ;; esac`,
	`x=/a/b/c; echo ${x%/*} ${x%%/*} ${x#*/} ${x##*/} ${x#nope} ${x%'/c'} ${x##*"/"}; y='*'; echo "${x%$y}" "${x%"$y"}"`,
	`for i in 1 2 3; do for j in a b; do [ $i = 2 ] && continue 2; [ $i = 3 ] && break 2; echo $i$j; done; done; echo end`,
	`a() { local v=1; b; echo $v; }; b() { v=2; }; v=0; a; echo $v`,
	`trap 'echo bye $?' EXIT; (exit 4); exit 5`, `(trap 'echo sub' EXIT; echo in); trap 'echo x' EXIT; trap - EXIT; sh -c 'trap "echo e" EXIT; kill $$'`,
	`ln -sT a l; readlink l; mkdir d; ln -sT b d; echo $?; ln -T f nope; touch f; ln -T f g; mv -T f g; ls; mv -T g d; echo $?`,
	"cat <<END\n~root {a,b} ~x\nEND\ncat <<'END'\n~root {a,b}\nEND",
	`echo "${nope:-a{b}" "${nope:-~nobodyhere}" ~ "~" '~nobodyhere'; x={a,b}; echo $x; for i in {1,2}; do echo $i; done; case '{a' in {*) echo brace ;; esac`,
	`echo $((7 / 2)) $((7 % 4)) $((1 << 4)) $((0x1f)) $((5 > 3 && 2 > 1))`,

	// files
	`mkdir a; mkdir a; echo $?; mkdir x/y; mkdir -p x/y/z; ls x/y; mkdir -p x/y; echo $?; mkdir -m 700 m; stat -c %a m; mkdir`,
	`rmdir nope; mkdir d; touch d/f; rmdir d; rm d/f; rmdir d; ls`,
	`rm nope; rm -f nope; echo $?; mkdir d; rm d; rm -r d; ls -d d; rm`,
	`mkdir -p d/e; touch d/e/f d/g; rm -rf d; ls`,
	`echo a >x; cp x y; cat y; cp nope z; cp x; cp; mkdir d; cp x y d; ls d; cp d e; cp -r d e; ls e; cp x x`,
	`echo a >x; chmod 640 x; cp -p x y; stat -c '%a %s %n' y; cp x d/`,
	`echo a >x; mv x y; ls; mv nope z; echo b >x; mv -f x y; cat y; mkdir d; mv y d; ls d; mv y`,
	`mkdir a b; touch b/f; mv a b; ls b; mkdir a; mv -T a b`,
	`echo a >x; ln x y; echo b >>y; cat x; stat -c %h x; ln x y; ln nope z; ln -s x l; cat l; readlink l; readlink x; echo $?; ln -sf y l; readlink l`,
	`touch a b; ls; ls -1; ls nope; touch /nonexistent/x; touch -c none; ls; touch`,
	`touch f; chmod 600 f; stat -c %a f; chmod u+x,g=r f; stat -c %a f; chmod 999 f; chmod 600 nope; chmod 600`,
	`printf abcd >f; stat -c '%s %a %n %F' f; stat -c %s nope; mkdir d; stat -c %F d; stat -c '%n' f d`,
	`sync f; echo $?; touch f; sync f; sync .; echo $?`,
	`touch .hidden seen; ls; ls -A; echo .h*`,
	`mkdir -p a/b; ln -s a/b s; readlink -f s/../b >/dev/null; cd s && ls ..`,
	`cat nope; echo $?; cat .; echo x >f; cat f nope; echo $?`,
	`echo x >/nonexistent/f || echo failed`,
	`echo x >d/f || echo failed; cat <nope || echo failed`,
	`cmp -s a b; echo $?; echo 1 >a; echo 1 >b; cmp a b; echo $?; echo 2 >b; cmp -s a b; echo $?`,

	// filters
	`printf '1\n2\n3\n4\n' >f; head -n 2 f; head -2 f; tail -n 1 f; tail -n +3 f; head -c 3 f; tail -c 2 f; head -n x f; head nope`,
	`printf 'a b\nc\n' | wc -l; printf 'a b\nc\n' | wc -c; printf 'a b\nc\n' | wc; printf 'x' >f; wc -c f; wc -l <f`,
	`echo hello | tr a-y b-z; echo 'a  b   c' | tr -s ' '; echo a1b2 | tr -d 0-9; echo 'a:b' | tr : '\n'; echo aBc | tr '[:lower:]' '[:upper:]'; echo abc | tr -cd 'ab\n'`,
	`echo a:b:c | cut -d: -f2; echo a:b:c | cut -d : -f 1,3; echo 'a b c d' | cut -d ' ' -f 2-; echo abcdef | cut -c 2-3; echo nodelim | cut -d: -f2; echo nodelim | cut -s -d: -f2; echo x | cut`,
	`printf 'b\na\nc\na\n' | sort; printf 'b\na\nc\na\n' | sort -u; printf '10\n9\n1\n' | sort -n; printf 'b\na\n' | sort -r; printf 'x 2\ny 1\n' | sort -k 2; sort nope`,
	`mkdir -p d/e; echo foo >d/a; echo foo >d/e/b; echo bar >d/c; grep -rlsE 'fo+' d nope | sort; grep -rh foo d | wc -l; grep -rl foo d/a; grep -ls foo d/a nope; echo $?`,
	`printf 'foo\nbar\nfoobar\n' >f; grep foo f; grep -c foo f; grep -v foo f; grep -x foo f; grep -q foo f; echo $?; grep -q zip f; echo $?; grep -F 'o.' f; grep -n bar f; grep zip nope; echo $?; grep -i FOO f; grep -E 'foo|bar$' f; grep '^b.*r$' f; grep 'fo\+' f; grep -o 'o*' f`,
	`echo x | tee f g; cat f g; echo y | tee -a f; cat f; echo z | tee /nonexistent/h; echo $?`,
	`printf hello | sha256sum; printf hello >f; sha256sum f; sha256sum nope; echo $?; sha256sum <f`,
	`head -c 5 </dev/zero | wc -c >/dev/null; echo x >/dev/null; cat /dev/null; echo x >/dev/full; echo $?; printf x >/dev/full`,
	`env -i A=1 /bin/sh -c 'echo $A'; env nosuch; echo $?; timeout 1 nosuch; echo $?; timeout x true; echo $?`,
}

// lineNumber matches the line number after the name of the script. dash prints it, and the lab does not.
var lineNumber = regexp.MustCompile(`(?m)^((?:\S*/)?(?:sh|dash|s|name)): \d+: `)

// TestScriptsBehaveAsUnderDash compares the shell and the coreutils of the lab with the real ones.
func TestScriptsBehaveAsUnderDash(t *testing.T) {
	for _, tool := range []string{"dash", "stat", "sha256sum"} {
		machinetest.Need(t, tool)
	}
	for _, script := range scripts {
		t.Run(strings.SplitN(script, "\n", 2)[0], func(t *testing.T) {
			t.Parallel()
			cmd := exec.Command("dash", "-c", script)
			cmd.Dir = t.TempDir()
			cmd.Env = []string{"LC_ALL=C", "PATH=/usr/bin:/bin", "HOME=/root"}
			cmd.Args[0] = "sh"
			var out, errs bytes.Buffer
			cmd.Stdout, cmd.Stderr = &out, &errs
			err := cmd.Run()
			var exit *exec.ExitError
			if err != nil && !errors.As(err, &exit) {
				t.Fatal(err)
			}
			got := sh(t, host(), "root", "mkdir /scratch && cd /scratch && exec sh -c \"$(cat)\"", script)
			require.Equal(t, out.String(), got.out, "stdout; stderr was %q", got.err)
			require.Equal(t, tidy(errs.String()), tidy(got.err), "stderr")
			require.Equal(t, cmd.ProcessState.ExitCode(), got.status, "status")
		})
	}
}

// tidy removes the intended differences: line numbers, and the second half of syntax errors.
func tidy(s string) string {
	s = lineNumber.ReplaceAllString(s, "sh: ")
	var b strings.Builder
	for line := range strings.Lines(s) {
		if i := strings.Index(line, "Syntax error"); i >= 0 {
			line = "sh: Syntax error\n"
		}
		b.WriteString(line)
	}
	return b.String()
}
