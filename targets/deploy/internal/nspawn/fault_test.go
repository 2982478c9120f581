//go:build linux

package nspawn

import (
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// stopped waits until a device stops, and returns the command.
func stopped(t *testing.T, d *Device) Command {
	t.Helper()
	select {
	case c := <-d.Stopped():
		return c
	case <-time.After(bootTime):
		t.Fatalf("%s did not stop:\n%s", d.Name, d.Transcript())
		return Command{}
	}
}

// ends returns the error of a command of this machine. The command must end within the time of a boot.
func ends(t *testing.T, cmd interface{ Wait() error }) error {
	t.Helper()
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		return err
	case <-time.After(bootTime):
		t.Fatal("it did not end")
		return nil
	}
}

func exists(d *Device, path string) bool {
	_, err := d.ReadFile(path)
	return !errors.Is(err, os.ErrNotExist)
}

// TestStopAt: a device stops at the given command under every caller: a login, sudo, a timer.
func TestStopAt(t *testing.T) {
	t.Parallel()
	d := Start(t, Switch43, Options{})
	const script = "set -e; cd /var/tmp; touch one; cp one two; mv two three; rm one"
	for n, want := range []string{1: "touch one", 2: "cp one two", 3: "mv two three", 4: "rm one"} {
		if n == 0 {
			continue
		}
		for _, when := range []When{Before, After} {
			d.StopAt(n, when)
			cmd := login(t.Context(), d, d.User, "sudo -n sh -c '"+script+"'")
			require.NoError(t, cmd.Start())
			c := stopped(t, d)
			assert.Equal(t, fmt.Sprintf("%d: %s", n, want), c.String())
			assert.Equal(t, "ssh.service", c.Unit)
			ran := n
			if when == Before {
				ran--
			}
			time.Sleep(20 * time.Millisecond) // no command continues
			assert.Equal(t, []bool{ran >= 1 && ran < 4, ran == 2, ran >= 3},
				[]bool{exists(d, "/var/tmp/one"), exists(d, "/var/tmp/two"), exists(d, "/var/tmp/three")}, "%s %s", when, c)
			d.Release()
			require.NoError(t, ends(t, cmd))
			assert.Len(t, d.Commands(), 4)
			execute(t, d, "rm /var/tmp/three")
		}
	}

	d.StopAt(1, Before)
	execute(t, d, "systemd-run --quiet --on-active=100ms --timer-property=AccuracySec=10ms --unit=rocec-undo-7 /usr/bin/touch /var/tmp/undone")
	assert.Equal(t, Command{1, []string{"/usr/bin/touch", "/var/tmp/undone"}, "rocec-undo-7.service"}, stopped(t, d))
	assert.False(t, exists(d, "/var/tmp/undone"))
	d.Release()
	require.NoError(t, patience(func() error {
		_, err := d.ReadFile("/var/tmp/undone")
		return err
	}))

	d.StopAt(0, Before)
	const ordinary = "mkdir 'a b' && rmdir 'a b'; systemctl is-active -q ssh; echo in | tee /var/tmp/out; rm /nowhere; echo $?"
	out, err := login(t.Context(), d, "root", ordinary).Output()
	require.NoError(t, err)
	assert.Equal(t, "in\n1\n", string(out))
	assert.Equal(t, []string{"1: mkdir a b", "2: rmdir a b", "3: tee /var/tmp/out", "4: rm /nowhere"}, strings.Split(strings.TrimSpace(
		strings.ReplaceAll(d.Transcript(), " [ssh.service]", "")), "\n"),
		"statuses and streams are the program's own, and a question is not a step")
}

// A stop after a command does not change the status or the signal of the command.
func TestStopAfterFailure(t *testing.T) {
	t.Parallel()
	d := Start(t, Switch43, Options{})
	for command, want := range map[string]string{"rm /nowhere": "1", "python3 -c 'import os; os.kill(os.getpid(), 9)'": "137"} {
		d.StopAt(1, After)
		cmd := login(t.Context(), d, "root", command+" 2>/dev/null; echo $?")
		out := make(chan string, 1)
		go func() {
			text, _ := cmd.Output()
			out <- string(text)
		}()
		stopped(t, d)
		d.Release()
		assert.Equal(t, want+"\n", <-out)
	}
}

// Every fault has its effect, and proves that it fired. After its reversal, the device works again.
func TestFaults(t *testing.T) {
	t.Parallel()
	Image(t)
	shell := func(t *testing.T, d *Device, script string) error {
		out, err := login(t.Context(), d, d.User, script).CombinedOutput()
		if err != nil {
			return fmt.Errorf("%w: %s", err, out)
		}
		return nil
	}
	for name, test := range map[string]func(t *testing.T, d *Device){
		"sessions killed": func(t *testing.T, d *Device) {
			require.ErrorContains(t, d.KillSessions().Fired(), "nobody was logged in")
			d.StopAt(1, Before)
			cmd := login(t.Context(), d, d.User, "touch began; sleep 0.1; echo on >went")
			require.NoError(t, cmd.Start())
			stopped(t, d)
			require.NoError(t, d.KillSessions().Fired())
			require.Error(t, ends(t, cmd), "the client sees it at once")
			d.Release()
			require.NoError(t, patience(func() error { // the command of the session goes on
				_, err := d.ReadFile("/home/" + d.User + "/went")
				return err
			}))
			require.NoError(t, shell(t, d, "true"))
		},
		"network cut": func(t *testing.T, d *Device) {
			c, err := net.Dial("tcp", d.Addr+":22")
			require.NoError(t, err)
			defer c.Close()
			_, err = c.Read(make([]byte, 100))
			require.NoError(t, err)
			require.NoError(t, d.CutNetwork().Fired())
			_, err = net.DialTimeout("tcp", d.Addr+":22", 1500*time.Millisecond)
			var timeout net.Error
			require.ErrorAs(t, err, &timeout)
			require.True(t, timeout.Timeout(), "a black hole does not answer: %v", err)
			require.NoError(t, c.SetReadDeadline(time.Now().Add(100*time.Millisecond)))
			_, err = c.Read(make([]byte, 100))
			require.ErrorIs(t, err, os.ErrDeadlineExceeded, "the connection is not closed, it is silent")
			require.NoError(t, d.RestoreNetwork())
			require.NoError(t, shell(t, d, "true"))
			require.NoError(t, c.SetDeadline(time.Now().Add(bootTime)))
			_, err = c.Write([]byte("SSH-2.0-test\r\n"))
			require.NoError(t, err)
			_, err = c.Read(make([]byte, 100))
			require.NoError(t, err, "the connection from before goes on")
		},
		"power off": func(t *testing.T, d *Device) {
			c, err := net.Dial("tcp", d.Addr+":22")
			require.NoError(t, err)
			defer c.Close()
			_, err = c.Read(make([]byte, 100))
			require.NoError(t, err)
			f := d.PowerOff(LoseData)
			require.ErrorContains(t, f.Fired(), "is not up")
			require.NoError(t, c.SetReadDeadline(time.Now().Add(300*time.Millisecond)))
			_, err = c.Read(make([]byte, 100))
			require.ErrorIs(t, err, os.ErrDeadlineExceeded, "nobody says goodbye")
			_, err = d.Exec("true")
			require.Error(t, err)
			require.NoError(t, d.PowerOn())
			require.NoError(t, f.Fired())
			require.NoError(t, shell(t, d, "true"))
			require.True(t, loaded(t, d))
		},
		"disk full": func(t *testing.T, d *Device) {
			require.NoError(t, d.FillDisk().Fired())
			require.ErrorContains(t, shell(t, d, "echo text >file"), "No space left on device")
			require.NoError(t, shell(t, d, "sudo -n mv "+traffic+" "+traffic+".moved"), "a rename needs no space")
			require.NoError(t, d.FreeDisk())
			require.NoError(t, shell(t, d, "echo text >file"))
		},
		"read-only": func(t *testing.T, d *Device) {
			require.NoError(t, d.ReadOnly().Fired())
			require.ErrorContains(t, shell(t, d, "echo text >file"), "Read-only file system")
			require.NoError(t, d.PowerCut(LoseJournal).Fired())
			require.NoError(t, shell(t, d, "echo text >file"), "the next boot heals it")
		},
		"immutable": func(t *testing.T, d *Device) {
			require.NoError(t, d.Immutable(traffic).Fired())
			for _, c := range []string{
				"rm -f " + traffic, "mv /etc/hostname " + traffic, "tee " + traffic + " </dev/null", "ln " + traffic + " /etc/link",
			} {
				require.ErrorContains(t, shell(t, d, "sudo -n "+c), "Operation not permitted")
			}
			require.NoError(t, d.Mutable(traffic))
			require.NoError(t, shell(t, d, "sudo -n rm "+traffic))
			require.Error(t, d.Immutable(traffic).Fired(), "it is gone")
		},
		"sudo revoked": func(t *testing.T, d *Device) {
			require.NoError(t, d.RevokeSudo().Fired())
			require.ErrorContains(t, shell(t, d, "sudo -n true"), "a password is required")
			require.NoError(t, d.GrantSudo())
			require.NoError(t, shell(t, d, "sudo -n true"))
		},
		"edits": func(t *testing.T, d *Device) {
			inode := func() string { return execute(t, d, "stat -c %i "+traffic) }
			before := inode()
			require.NoError(t, d.EditFile(traffic, []byte("1\n"), InPlace).Fired())
			assert.Equal(t, before, inode())
			require.NoError(t, d.EditFile(traffic, []byte("2\n"), ByRename).Fired())
			assert.NotEqual(t, before, inode())
			assert.Equal(t, "2", execute(t, d, "cat "+traffic))
			require.Error(t, d.EditFile("/nowhere/file", nil, InPlace).Fired())
		},
		"clock jump": func(t *testing.T, d *Device) {
			cmd := login(t.Context(), d, d.User, "python3 -uc 'import time; print(time.time()); input(); print(time.time(), time.monotonic())'")
			in, err := cmd.StdinPipe()
			require.NoError(t, err)
			out, err := cmd.StdoutPipe()
			require.NoError(t, err)
			require.NoError(t, cmd.Start())
			var before, after, ticks float64
			_, err = fmt.Fscan(out, &before)
			require.NoError(t, err)
			begin := time.Now().Add(-time.Minute) // the device printed the time before the test read it
			const years = 5 * 365 * 24 * time.Hour
			require.NoError(t, d.ClockJump(-years).Fired())
			_, err = fmt.Fprintln(in)
			require.NoError(t, err)
			_, err = fmt.Fscan(out, &after, &ticks)
			require.NoError(t, err)
			assert.InDelta(t, before-years.Seconds(), after, time.Since(begin).Seconds(), "of a program that runs already")
			assert.Positive(t, ticks)
			require.NoError(t, ends(t, cmd))
			assert.Equal(t, fmt.Sprint(time.Now().Add(-years).Year()), strings.TrimSpace(execute(t, d, "date +%Y")))
			require.NoError(t, d.ClockJump(0).Fired())
		},
		"daemon dies": func(t *testing.T, d *Device) {
			f := d.DaemonDies(int(d.Slowed(2 * time.Second).Seconds()))
			require.Error(t, f.Fired(), "it has not loaded since")
			execute(t, d, "systemctl restart switchd.service")
			assert.Equal(t, "active", execute(t, d, "systemctl is-active switchd.service"))
			require.NoError(t, patience(f.Fired))
			require.NoError(t, patience(func() error {
				if state := execute(t, d, "systemctl is-active switchd.service || true"); state != "failed" {
					return errors.New(state)
				}
				return nil
			}))
		},
		"daemon refuses": func(t *testing.T, d *Device) {
			f := d.DaemonRefuses("speed = 100")
			require.NoError(t, d.WriteFile(traffic, []byte("speed = 10\n")))
			execute(t, d, "systemctl restart switchd.service")
			require.Error(t, f.Fired())
			require.NoError(t, d.WriteFile(traffic, []byte("speed = 100\n")))
			require.ErrorContains(t, shell(t, d, "sudo -n systemctl restart switchd.service"), "failed")
			require.NoError(t, f.Fired())
			assert.Contains(t, execute(t, d, "cat /var/log/switchd.log"), "invalid setting: speed = 100")
		},
		"step hangs": func(t *testing.T, d *Device) {
			f := d.StepHangs("systemctl restart")
			require.NoError(t, shell(t, d, "sudo -n systemctl --version"))
			require.Error(t, f.Fired())
			cmd := login(t.Context(), d, d.User, "sudo -n systemctl restart switchd.service")
			require.NoError(t, cmd.Start())
			require.NoError(t, patience(f.Fired))
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			select {
			case err := <-ended:
				t.Fatalf("it does not hang: %v", err)
			case <-time.After(time.Second):
			}
			d.Release()
			require.NoError(t, <-ended)
			require.NoError(t, shell(t, d, "sudo -n systemctl restart switchd.service"))
		},
		"slow device": func(t *testing.T, d *Device) {
			f := d.SlowDevice(300 * time.Millisecond)
			require.Error(t, f.Fired())
			begin := time.Now()
			require.NoError(t, shell(t, d, "touch a; touch b; touch c"))
			assert.GreaterOrEqual(t, time.Since(begin), 900*time.Millisecond)
			require.NoError(t, f.Fired())
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, Start(t, Switch37, Options{}))
		})
	}
}

// A power cut loses exactly the unsynced writes, so only one way of writing a file survives both kinds of loss.
func TestPowerCut(t *testing.T) {
	t.Parallel()
	const (
		inPlace = "printf new >config"
		rename  = "printf new >config.new; mv config.new config"
		synced  = "printf new >config.new; sync config.new; mv config.new config; sync ."
		python  = `python3 -c '
import os
f = open("config.new", "w"); f.write("new"); f.flush(); os.fsync(f.fileno())
os.rename("config.new", "config"); os.fsync(os.open(".", os.O_RDONLY))'`
		old = "sync config.new 2>/dev/null; printf new >config.new; mv config.new config; sync"
	)
	for _, c := range []struct {
		kind *Kind
		loss Loss
		want map[string]string // content after the power cut, by the way of writing
	}{
		{Switch43, LoseData, map[string]string{inPlace: "", rename: "", synced: "new", python: "new"}},
		{Switch43, LoseJournal, map[string]string{inPlace: "old", rename: "old", synced: "new", python: "new"}},
		{Switch37, LoseData, map[string]string{rename: "", old: "new"}},
		{Switch37, LoseJournal, map[string]string{rename: "old", old: "new"}},
	} {
		t.Run(c.kind.Name+", "+c.loss.String(), func(t *testing.T) {
			t.Parallel()
			d := Start(t, c.kind, Options{Files: map[string]string{"/etc/app/config": "old"}})
			for script, want := range c.want {
				execute(t, d, "printf old >/etc/app/config; sync /etc/app/config /etc/app")
				out, err := login(t.Context(), d, "root", "cd /etc/app; "+script).CombinedOutput()
				require.NoError(t, err, "%s", out)
				assert.Equal(t, "new", execute(t, d, "cat /etc/app/config"))
				require.NoError(t, d.PowerCut(c.loss).Fired())
				content, err := d.ReadFile("/etc/app/config")
				require.NoError(t, err)
				assert.Equal(t, want, string(content), script)
			}
		})
	}
}

// After a power cut at a stop, the device boots completely.
func TestPowerCutWhileStopped(t *testing.T) {
	t.Parallel()
	d := Start(t, Switch37, Options{})
	boot, err := d.BootID()
	require.NoError(t, err)
	d.StopAt(2, Before)
	cmd := login(t.Context(), d, d.User, "touch one && touch two")
	require.NoError(t, cmd.Start())
	stopped(t, d)
	require.NoError(t, d.PowerCut(LoseJournal).Fired())
	d.Release()
	after, err := d.BootID()
	require.NoError(t, err)
	assert.NotEqual(t, boot, after)
	assert.True(t, loaded(t, d))
	assert.False(t, exists(d, "/home/"+d.User+"/two"))
	_ = cmd.Process.Kill() // the command waits for an answer that does not come
	require.Error(t, cmd.Wait())
}

// The power may be cut again while a device boots.
func TestPowerCutWhileBooting(t *testing.T) {
	t.Parallel()
	const pre = "[Service]\nExecStartPre=/bin/touch /var/tmp/booting\n"
	d := Start(t, Switch43, Options{Files: map[string]string{"/etc/systemd/system/ssh.service.d/pre.conf": pre}})
	off := d.PowerOff(LoseJournal)
	d.StopAt(1, Before)
	up := make(chan error, 1)
	go func() { up <- d.PowerOn() }()
	assert.Equal(t, "1: /bin/touch /var/tmp/booting", stopped(t, d).String())
	require.NoError(t, d.PowerCut(LoseData).Fired())
	d.Release()
	<-up // with an error, unless the device has already booted again
	require.NoError(t, off.Fired())
	assert.Len(t, d.Commands(), 2, "the device has reached that command twice")
}
