package deploy

import (
	"fmt"
	"strconv"
	"strings"
)

// Process is the process that leads a run, with its user and machine. Its text is in journals, and in the lock of each device.
type Process struct {
	User string
	Host string // empty: not known
	PID  int
}

// String returns "alice@ws7, process 4711".
func (p Process) String() string {
	who := p.User
	if p.Host != "" {
		who += "@" + p.Host
	}
	return fmt.Sprintf("%s, process %d", who, p.PID)
}

// ParseProcess is the inverse of String. It reports whether the text has that form, because a device may report any text.
func ParseProcess(text string) (Process, bool) {
	who, number, _ := strings.Cut(text, ", process ")
	pid, err := strconv.Atoi(number)
	if err != nil || pid < 1 {
		return Process{}, false
	}
	user, host := who, ""
	if at := strings.LastIndexByte(who, '@'); at >= 0 {
		user, host = who[:at], who[at+1:]
	}
	return Process{user, host, pid}, true
}
