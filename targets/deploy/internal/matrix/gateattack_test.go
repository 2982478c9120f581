//go:build linux

package matrix

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/rocec/rocec/targets/commands"
	"github.com/rocec/rocec/targets/deploy/order"
	"github.com/rocec/rocec/targets/nic/hosttest"
)

// try is what an attacker tries with the login of a device, and a part of what he gets. evil is a command that makes the file /etc/owned.
type try struct{ name, script, gets string }

// The answers that many tries get.
const (
	noSudo   = "a password is required"
	noEnv    = "not allowed to set"
	noRight  = "Permission denied"
	notRun   = "Operation not permitted"
	gateSays = "rocec-fail gate"
	unsigned = "rocec-fail unsigned"
	harmless = "gate dev SHA256:"
)

// evil is a program in the home of the login that makes a file of root.
const evil = "#!/bin/sh\ntouch /etc/owned\n"

// tries are all tries without an order. GATE, HOME and RUN stand for the gate, the home of the login, and a run that is over.
var tries = []try{
	{"a shell by sudo", "sudo -n sh -c 'touch /etc/owned'", noSudo},
	{"a shell of root's login", "sudo -n -i", noSudo},
	{"a file of root", "sudo -n cat /etc/shadow", noSudo},
	{"an editor of root", "sudo -n -e /etc/sudoers", noSudo},
	{"another program beside the gate", "sudo -n GATE.new hello", noSudo},
	{"a link of the gate's name", "ln -sf /bin/sh HOME/rocec-txn; sudo -n HOME/rocec-txn -c id", noSudo},
	{"the gate by env", "sudo -n env GATE hello", noSudo},
	{"the gate in a chosen folder", "sudo -n -D HOME GATE hello", harmless},
	{"the gate below a chosen root", "sudo -n -R HOME GATE hello", "not permitted"},
	{"the gate as another user", "sudo -n -u nobody GATE hello", noSudo},
	{"the gate with a group of his", "sudo -n -g CUMULUS GATE mark run1 ab12 eve 60 ''", noRight},
	{"the gate as root with a group of his", "sudo -n -u root -g CUMULUS GATE hello", noSudo},
	{"LD_PRELOAD for sudo", "LD_PRELOAD=HOME/evil.so sudo -n GATE state /", "boot "},
	{"LD_PRELOAD through sudo", "sudo -n LD_PRELOAD=HOME/evil.so GATE state /", noEnv},
	{"PATH", "PATH=HOME/bin:$PATH /usr/bin/sudo -n GATE state /", "boot "},
	{"BASH_ENV and ENV", "BASH_ENV=HOME/bin/sh ENV=HOME/bin/sh sudo -n GATE state /", "boot "},
	{"a function in the environment", "env 'BASH_FUNC_stat%%=() { touch /etc/owned; }' sudo -n GATE state /", "boot "},
	{"traces of a shell", "PS4='$(touch /etc/owned)' SHELLOPTS=xtrace sudo -n GATE state /", "boot "},
	{"GODEBUG", "GODEBUG=gctrace=1,inittrace=1 GOTRACEBACK=crash sudo -n GATE hello", harmless},
	{"SSH_ORIGINAL_COMMAND", "SSH_ORIGINAL_COMMAND='; touch /etc/owned' SSH_TTY=/dev/full sudo -n GATE hello", harmless},
	{"ROCEC_FLUSH", "ROCEC_FLUSH=HOME/bin/sh sudo -n GATE unlock '?' eve", "rocec-fail"},
	{"no verb", "sudo -n GATE", gateSays},
	{"help", "sudo -n GATE --help", gateSays},
	{"a verb of the scripts", "sudo -n GATE body", gateSays},
	{"a shell as verb", "sudo -n GATE sh -c 'touch /etc/owned'", gateSays},
	{"cat of a secret", "sudo -n GATE cat /etc/shadow", gateSays},
	{"cat of a secret, upwards", "sudo -n GATE cat /etc/cumulus/datapath/../../shadow", gateSays},
	{"cat of two files", "sudo -n GATE cat TRAFFIC /etc/shadow", gateSays},
	{"a query of a shell", "sudo -n GATE query rocec-AAAAAAAAAAAAAAAAAAAAAAAA 'sh -c touch /etc/owned'", gateSays},
	{"a query with a shell in it", "sudo -n GATE query rocec-AAAAAAAAAAAAAAAAAAAAAAAA 'mlx5 show eth0;touch'", gateSays},
	{"a mark with a shell in it", "sudo -n GATE records 'rocec-A; touch /etc/owned'", gateSays},
	{"a folder with a shell in it", "sudo -n GATE state '/$(touch /etc/owned)'", gateSays},
	{"a kept secret", "sudo -n GATE kept rocec-AAAAAAAAAAAAAAAAAAAAAAAA /var/lib/rocec/backup/RUN/../../../../etc/shadow", gateSays},
	{"a kept secret beside", "sudo -n GATE kept rocec-AAAAAAAAAAAAAAAAAAAAAAAA /etc/shadow", gateSays},
	{"a digest with a shell in it", "sudo -n GATE given rocec-AAAAAAAAAAAAAAAAAAAAAAAA RUN '$(touch /etc/owned)'", gateSays},
	{"a run with a shell in it", "sudo -n GATE sweep 'x; touch /etc/owned' eve", gateSays},
	{"a run upwards", "sudo -n GATE sweep ../../etc eve", gateSays},
	{"a name as a flag", "sudo -n GATE sweep RUN --help", gateSays},
	{"a name with a shell in it", "sudo -n GATE sweep none-of-these '$(touch /etc/owned)'; echo ended", "OK\nended"},
	{"a holder with a shell in it", "sudo -n GATE unlock '$(touch /etc/owned)' eve", gateSays},
	{"seconds of a shell", "sudo -n GATE mark run1 ab12 eve '1;touch' ''", gateSays},
	{"the verb body by call", "sudo -n GATE call RUN ab12 '' body eve ''", gateSays},
	{"a commit of nothing", "sudo -n GATE call run-of-eve ab12 '' commit eve ''", "rocec-fail gone"},
	{"a commit of a run that is over", "sudo -n GATE call RUN ab12 '' commit eve ''", "rocec-fail gone"},
	{"a longer time for nothing", "sudo -n GATE extend run-of-eve ab12 '' 3456000", "rocec-fail gone"},
	{"2,000 arguments", "sudo -n GATE call $(seq 2000)", gateSays},
	{"an argument of 100 kB", "sudo -n GATE sweep RUN $(head -c 100000 /dev/zero | tr '\\0' a)", gateSays},
	{"no stdin", "sudo -n GATE prepare <&-", "rocec-fail failed"},
	{"no stdout", "sudo -n GATE state / >&-; echo ended", "ended"},
	{"nothing open", "sudo -n GATE prepare <&- >&- 2>&-; echo ended", "ended"},
	{"a full stdout", "sudo -n GATE hello >/dev/full", "no space left"},
	{"100 MB on stdin", "head -c 100000000 /dev/zero | sudo -n GATE prepare", unsigned},
	{"100 MB of braces", "head -c 100000000 /dev/zero | tr '\\0' '{' | sudo -n GATE remove", unsigned},
	{"a shell on stdin", "echo 'touch /etc/owned' | sudo -n GATE prepare", unsigned},
	{"items on stdin", "printf 'run 16\\ntouch /etc/owned\\nend 0\\n' | sudo -n GATE prepare", unsigned},
	{"a signal to the gate", "(sleep 2 | sudo -n GATE prepare) & sleep 1; pkill -STOP rocec-txn; pkill -KILL rocec-txn; wait", notRun},
	{"no file may be opened", "ulimit -n 3; sudo -n GATE hello; echo ended", "ended"},
	{"no byte may be written", "ulimit -f 0; sudo -n GATE unlock '?' eve", "rocec-fail"},
	{"no process may start", "ulimit -u 1; sudo -n GATE state /", ""},
	{"little memory", "ulimit -v 200000; sudo -n GATE state /; echo ended", "ended"},
	{"rocec's state", "echo x >/var/lib/rocec/orders", noRight},
	{"a run of his in rocec's state", "mkdir /var/lib/rocec/txn-evil", noRight},
	{"a link in rocec's state", "ln -s /etc /var/lib/rocec/backup/evil", noRight},
	{"another state of rocec", "mv /var/lib/rocec /var/lib/other", noRight},
	{"a signer of his", "echo x >>/etc/rocec/allowed_signers", noRight},
	{"other signers", "rm -f /etc/rocec/allowed_signers", noRight},
	{"another gate", "cp HOME/bin/sh GATE", noRight},
	{"no gate", "rm -f GATE", noRight},
	{"another folder of the gate", "mv /usr/libexec /usr/libexec2", noRight},
	{"another rule", "cp HOME/bin/sh /etc/sudoers.d/rocec-txn", noRight},
	{"another host key", "echo x >/etc/ssh/ssh_host_ed25519_key.pub", noRight},
	{"a pipe as mark", "mkfifo /run/rocec/mark2", noRight},
	{"a boot unit", "echo x >/etc/systemd/system/rocec-undo-evil.service", noRight},
}

// careless are tries on a device whose owner has given the login a folder of rocec's files, and keeps its environment over sudo.
var careless = []try{
	{"a link to a secret", "ln -s /etc/shadow TRAFFIC; sudo -n GATE cat TRAFFIC", "too many levels of symbolic links"},
	{"a pipe", "mkfifo TRAFFIC; sudo -n GATE cat TRAFFIC", "is not a regular file"},
	{"a folder", "mkdir TRAFFIC; sudo -n GATE cat TRAFFIC; rmdir TRAFFIC", "is not a regular file"},
	{"another name of a secret", "sudo -n GATE cat TRAFFIC", "others than root may change"},
	{"a kept PATH", "PATH=HOME/bin:$PATH /usr/bin/sudo -n GATE state /", "boot "},
	{"a kept ENV", "ENV=HOME/bin/sh BASH_ENV=HOME/bin/sh sudo -n GATE state /", "boot "},
	{"a kept ROCEC_FLUSH", "ROCEC_FLUSH=HOME/bin/sh sudo -n GATE sweep none-of-these eve", "OK"},
	{"a kept GODEBUG", "GODEBUG=fips140=off,execerrdot=0 GOTRACEBACK=crash sudo -n GATE hello", harmless},
}

// attacked is a device with a gate, whose login an attacker has.
type attacked struct {
	*gated
	captured []byte // an order that a run has used
	run      string // that run
	before   string // of proof
}

// proof has owner, mode and content of all files of root, but for logs and what programs write by themselves.
func (a *attacked) proof(t *testing.T) string {
	t.Helper()
	return a.exec(t, `find / -xdev \( -path /var/log -o -path /tmp -o -path /var/tmp -o -path /var/lib/systemd -o -path /run -o -path /home \
		-o -path /var/lib/sudo \) -prune -o -printf '%p %M %U %G %l\n' | sort
	find /etc /usr /var/lib/rocec /root /bin /sbin -xdev -type f -exec sha256sum {} + | sort -k 2`)
}

// newAttacked boots a device whose login has a wrapper of sudo, which keeps the orders that reach the gate. A run begins, and is undone.
func newAttacked(t *testing.T) *attacked {
	t.Helper()
	r := references()[1]
	home := "/home/" + r.kind.User
	so := filepath.Join(t.TempDir(), "evil.so")
	require.NoError(t, hosttest.Build(so, "#include <fcntl.h>\n__attribute__((constructor)) static void own(void) { "+
		"if (open(\"/etc/owned\", O_CREAT | O_WRONLY, 0644) < 0) return; }\n"))
	lib, err := os.ReadFile(so)
	require.NoError(t, err)
	files := map[string]string{home + "/evil.so": string(lib), home + "/.bashrc": "PATH=" + home + "/wrap:$PATH\n"}
	for _, name := range []string{"sh", "cat", "stat", "id", "sleep", "flock", "mkdir", "rocec-txn"} {
		files[home+"/bin/"+name] = evil
	}
	files[home+"/wrap/sudo"] = "#!/bin/sh\ncase $* in *' prepare') tee " + home + "/order | /usr/bin/sudo \"$@\"; exit ;; esac\n" +
		"exec /usr/bin/sudo \"$@\"\n"
	a := &attacked{gated: newGated(t, r, files)}
	a.shut(t)
	a.ref.old = *a.look(t)
	a.rocec(t, 0, "unconfirmed", a.o.apply("--soak", "0s", "--confirm", "10m", a.signs())...)
	a.run = last(t, a.o)
	a.rocec(t, 0, "restored", a.rollback(a.run)...)
	a.holds(t, &a.ref.old)
	a.captured = []byte(a.exec(t, "cat "+home+"/order"))
	require.Contains(t, string(a.captured), `"statement"`, "the login sees the orders")
	a.exec(t, "mkdir -p /run/rocec; rm -r "+home+"/wrap "+home+"/.bashrc")
	a.before = a.proof(t)
	return a
}

// tries runs a try, and checks what the attacker gets, and that no file of root came.
func (a *attacked) tries(t *testing.T, one try, stdin []byte) string {
	t.Helper()
	home := "/home/" + a.d.User
	script := strings.NewReplacer("GATE", order.Gate, "HOME", home, "RUN", a.run, "TRAFFIC", traffic, "CUMULUS", a.d.User).Replace(one.script)
	said, _ := a.ssh(t.Context(), stdin, script)
	assert.Contains(t, said, one.gets, "%s: %s", one.name, script)
	assert.NotContains(t, said, "uid=0", one.name)
	assert.NotContains(t, said, "root:", one.name)
	return fmt.Sprintf("| %s | %s |\n", one.name, strings.Join(strings.Fields(said[:min(len(said), 150)]), " "))
}

// unchanged checks that no try has made, changed or removed a file of root.
func (a *attacked) unchanged(t *testing.T) {
	t.Helper()
	a.exec(t, "! test -e /etc/owned")
	require.Equal(t, a.before, a.proof(t))
	a.holds(t, &a.ref.old)
}

// TestGateAttackers: an attacker with the login of a device gets neither root nor a file of root, whatever he gives to sudo and to the
// gate. With the key of the operator he gets known steps and files, and nothing else.
func TestGateAttackers(t *testing.T) {
	t.Parallel()
	a := newAttacked(t)
	var table strings.Builder
	for _, one := range tries {
		table.WriteString(a.tries(t, one, nil))
	}
	a.unchanged(t)
	for _, o := range a.orders(t) {
		table.WriteString(a.tries(t, try{o.name, "sudo -n GATE prepare", o.gets}, o.text))
		a.tries(t, try{o.name + ", to remove the gate", "sudo -n GATE remove", unsigned}, o.text)
	}
	a.unchanged(t)
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			said, _ := a.ssh(t.Context(), a.captured, "sudo -n "+order.Gate+" prepare")
			assert.Contains(t, said, unsigned)
		})
	}
	both.Wait()
	a.unchanged(t)

	// A person has given the login the folder of a file, and keeps the environment over sudo.
	a.exec(t, "chown "+a.d.User+" "+filepath.Dir(traffic)+"; echo 'Defaults !env_reset' >/etc/sudoers.d/keep; mv "+traffic+" /root/kept")
	for _, one := range careless {
		if one.name == "another name of a secret" { // which the kernel refuses to the login, on most machines
			a.exec(t, "ln /etc/shadow "+traffic)
		}
		table.WriteString(a.tries(t, one, nil))
		a.exec(t, "rm -f "+traffic)
	}
	a.exec(t, "chown root "+filepath.Dir(traffic)+"; rm /etc/sudoers.d/keep; mv /root/kept "+traffic)
	a.unchanged(t)
	t.Logf("an attacker with the login of a device\n| tries | gets |\n| --- | --- |\n%s", table.String())
}

// sent is an order that an attacker sends.
type sent struct {
	name string
	text []byte
	gets string
}

// forged is an order before it is signed.
type forged struct {
	change   order.Change
	contents []string
	until    time.Time
	role     string
	key      string // its name
}

// order signs a change of the device. do edits it before.
func (a *attacked) order(t *testing.T, do func(*forged)) []byte {
	t.Helper()
	const content = "# hostile\n"
	f := &forged{
		change: order.Change{
			Run: "20261130t000000z-0bad", Key: "0bad", Device: a.o.device, Machine: a.d.HostKey.Fingerprint, Need: 1,
			Files: []order.FileChange{{
				Path: traffic, Base: a.ref.old.files[traffic], Target: commands.Sum([]byte(content)), Mode: 0o644, Replaces: true,
			}},
			Steps: []order.NamedStep{{Name: "cumulus reload", Again: true}},
		},
		contents: []string{content}, until: time.Now().Add(time.Hour), role: "rocec-device", key: "alice",
	}
	do(f)
	f.change.Owner = "eve"
	tree := order.NewTree([]*order.Change{&f.change})
	e := tree.Envelope(0)
	e.Statement = (&order.Statement{Run: f.change.Run, Until: f.until.UTC().Truncate(time.Second), Root: tree.Root()}).Text()
	sign := exec.Command("ssh-keygen", "-q", "-Y", "sign", "-n", f.role, "-f", filepath.Join(a.dir, f.key))
	sign.Stdin = bytes.NewReader(e.Statement)
	var err error
	e.Signature, err = sign.Output()
	require.NoError(t, err)
	for _, c := range f.contents {
		e.Contents = append(e.Contents, []byte(c))
	}
	e.First, e.Later = 60, 60
	return e.Bytes()
}

// edited changes a captured order.
func (a *attacked) edited(t *testing.T, do func(*order.Envelope)) []byte {
	t.Helper()
	e, err := order.Parse(a.captured)
	require.NoError(t, err)
	do(e)
	return e.Bytes()
}

// orders are hostile orders: of the attacker with the login, who cannot sign, and of the one with the key of the operator, whose orders
// name what the gate does not know. The last one is what that key may do, and shows that the forged orders have the right form.
func (a *attacked) orders(t *testing.T) []sent {
	t.Helper()
	by := func(do func(*forged)) []byte { return a.order(t, do) }
	file := func(path, content string) []byte {
		return by(func(f *forged) {
			f.change.Files[0] = order.FileChange{
				Path: path, Base: commands.Absent, Target: commands.Sum([]byte(content)), Mode: 0o644, Replaces: true,
			}
			f.contents = []string{content}
		})
	}
	step := func(name, stdin string) []byte {
		return by(func(f *forged) {
			f.change.Steps[0] = order.NamedStep{Name: name}
			if stdin != "" {
				f.change.Steps[0].Stdin, f.contents = commands.Sum([]byte(stdin)), append(f.contents, stdin)
			}
		})
	}
	sum := commands.Sum([]byte("tree"))
	return []sent{
		{"a used order again", a.captured, unsigned},
		{"an order of another device", by(func(f *forged) { f.change.Machine = "SHA256:" + strings.Repeat("A", 43) }), "another machine"},
		{"an order without a signature", a.edited(t, func(e *order.Envelope) { e.Signature = nil }), "signature of the order is not valid"},
		{"an order signed by his key", by(func(f *forged) { f.key = "stranger" }), unsigned},
		{"an order signed by a key of another role", by(func(f *forged) { f.key = "planner" }), unsigned},
		{"an order signed as a plan", by(func(f *forged) { f.role = "rocec-plan" }), "signature of the order is not valid"},
		{"an order that is over", by(func(f *forged) { f.until = time.Now().Add(-time.Minute) }), "the order ends at"},
		{"an order for a year", by(func(f *forged) { f.until = time.Now().Add(365 * 24 * time.Hour) }), "the order ends at"},
		{"a used order with another run", a.edited(t, func(e *order.Envelope) {
			e.Change = bytes.Replace(e.Change, []byte(a.run), []byte("20261130t000000z-0bad"), 1)
		}), "does not cover"},
		{"a used order with another time", a.edited(t, func(e *order.Envelope) {
			e.Statement = bytes.Replace(e.Statement, []byte("until 20"), []byte("until 21"), 1)
		}), "signature of the order is not valid"},
		{"a used order with another content", a.edited(t, func(e *order.Envelope) { e.Contents = [][]byte{[]byte("# hostile\n")} }), unsigned},
		{"an order with a member of his", bytes.Replace(a.captured, []byte("{"), []byte(`{"script":"touch /etc/owned",`), 1), "it is no order"},

		{"signed: /etc/passwd", file("/etc/passwd", "eve::0:0::/:/bin/sh\n"), "/etc/passwd: rocec writes no such file"},
		{"signed: sudoers", file("/etc/sudoers.d/rocec-txn", "ALL ALL=(ALL) NOPASSWD: ALL\n"), "rocec writes no such file"},
		{"signed: signers", file(order.Signers, "eve"), "rocec writes no such file"},
		{"signed: a new unit", file("/etc/systemd/system/evil.service", "[Service]\nExecStart=/bin/sh\n"), "rocec writes no such file"},
		{
			"signed: another unit of a host", file("/etc/systemd/system/rocec-host@.service", "[Service]\nExecStart=/bin/sh\n"),
			"its content is not that",
		},
		{"signed: another script of a host", file("/usr/local/sbin/rocec-host", evil), "its content is not that"},
		{"signed: a rule that runs a program", file("/etc/udev/rules.d/99-rocec.rules", `RUN+="/bin/sh"`), "its content is not that"},
		{"signed: a file with the bits of setuid", by(func(f *forged) { f.change.Files[0].Mode = 0o4755 }), "wrong form"},
		{"signed: a step with a shell", step("sh -c reboot", ""), "knows no step"},
		{"signed: a shell in a step", step("cumulus restart; reboot", ""), "knows no step"},
		{"signed: a shell in a step of a NIC", step("mlx5 apply ens1f0;reboot", ""), "knows no step"},
		{"signed: going back with a shell", step("back | cumulus restart; reboot", ""), "knows no step"},
		{
			"signed: NVUE, a user",
			step("nvue patch "+sum+" "+sum, sum+"\nset:\n  system:\n    aaa:\n      user:\n        eve:\n          role: system-admin\n"),
			"of the patch",
		},
		{
			"signed: SONiC, a shell", step("sonic patch a b "+sum+" "+sum, sum+"\n"+sum+"\nstage\tforth\nsh\treboot\n"),
			"rocec makes no such command of a stage",
		},
		{
			"signed: SONiC, a table of users",
			step("sonic patch a b "+sum+" "+sum, sum+"\n"+sum+"\nstage\tforth\nrow\tAAA\tauthentication\t{}\n"),
			"rocec changes no such table",
		},
	}
}

// TestGateOperators: without the key of an operator, the disk of the bastion begins no run on a device with a gate. Whoever edits the
// journal gets no further than on a device without one.
func TestGateOperators(t *testing.T) {
	t.Parallel()
	g := newGated(t, references()[1], map[string]string{})
	g.shut(t)
	g.ref.old = *g.look(t)
	g.rocec(t, 0, "applied", g.o.apply("--soak", "0s", g.signs())...)
	g.ref.new = *g.look(t)
	run := last(t, g.o)

	g.rocec(t, 64, "", g.rollback(run)...)
	for key, says := range map[string]string{"stranger": "no line has the key", "planner": "does not allow planner to sign"} {
		r := g.rocec(t, exitMachines, "refused", append(g.rollback(run), "--sign-key="+g.dir+"/"+key)...)
		require.Contains(t, r.out, says)
		r = g.rocec(t, exitIncomplete, "", "gate", "--remove", "-y", "--target", g.o.device, "--sign-key="+g.dir+"/"+key)
		require.Contains(t, r.out, says)
	}
	g.holds(t, &g.ref.new)

	name := g.o.dir + "/home/.local/state/rocec/runs/" + run + ".jsonl"
	journal, err := os.ReadFile(name)
	require.NoError(t, err)
	for was, is := range map[string]string{
		"cumulus reload": "cumulus reload; reboot", traffic: "/etc/cumulus/datapath/traffic.conf2",
		g.ref.old.files[traffic]: g.ref.new.files[traffic],
	} {
		edited := bytes.ReplaceAll(journal, []byte(was), []byte(is))
		require.NotEqual(t, journal, edited, was)
		require.NoError(t, os.WriteFile(name, edited, 0o600))
		r, err := g.o.run(t.Context(), append(g.rollback(run), g.signs())...)
		require.NoError(t, err)
		t.Logf("XX %s", r)
		require.NotZero(t, r.status, "%s: %s", was, r)
		g.holds(t, &g.ref.new)
	}
	require.NoError(t, os.WriteFile(name, journal, 0o600))
	g.rocec(t, 0, "applied", append(g.rollback(run), g.signs())...)
	g.holds(t, &g.ref.old)
}

// limits are those of an attacker who wants a script to end half way.
var limits = []string{"ulimit -f 0; ", "ulimit -t 1; ", "ulimit -n 24; ", "ulimit -s 64; "}

// TestGateReplay: a captured order begins its run once. Two that come at once begin one run, and no limit of the login ends a script half
// way.
func TestGateReplay(t *testing.T) {
	t.Parallel()
	a := newAttacked(t)
	text := a.order(t, func(*forged) {})
	call := func(verb string) string {
		said, _ := a.ssh(t.Context(), nil, "trap '' TERM HUP PIPE; sudo -n "+order.Gate+" call 20261130t000000z-0bad 0bad '' "+verb+" eve ''")
		return said
	}
	for _, limit := range limits { // root lifts it, or the gate says that it cannot
		said, status := a.ssh(t.Context(), nil, limit+"sudo -n "+order.Gate+" sweep 20261130t000000z-0bad eve")
		if status != 0 {
			require.Contains(t, said, "they cannot be lifted", limit)
		}
	}
	var both sync.WaitGroup
	for range 2 {
		both.Go(func() {
			said, status := a.ssh(t.Context(), text, "trap '' TERM HUP PIPE; sudo -n "+order.Gate+" prepare")
			assert.Zero(t, status, said)
		})
	}
	both.Wait()
	for range 2 {
		both.Go(func() { assert.Contains(t, call("commit"), "mark loaded") })
	}
	both.Wait()
	require.Equal(t, "# hostile\n", a.exec(t, "cat "+traffic), "a signed content of a known file: what the key of an operator can do")
	require.Contains(t, call("undo"), "mark undone")
	require.Contains(t, call("release"), "OK\n")
	a.holds(t, &a.ref.old)
	said, status := a.ssh(t.Context(), text, "sudo -n "+order.Gate+" prepare")
	require.Equal(t, 1, status)
	require.Contains(t, said, "has changed this device before")
	require.Contains(t, call("commit"), "rocec-fail gone")
	a.holds(t, &a.ref.old)
	orders := a.exec(t, "cat /var/lib/rocec/orders")
	require.Equal(t, 2, strings.Count(orders, "\n"), orders)
}
