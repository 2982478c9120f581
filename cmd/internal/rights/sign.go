package rights

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"os/exec"
	"strings"
)

// sign has ssh-keygen sign a message in a namespace, and returns the armored signature. The file has a private key. It may also have the
// public half, or a certificate, of a key in an agent. ssh-keygen asks on the terminal for a passphrase or a PIN. It prints to w when a
// person has to touch the token.
func sign(ctx context.Context, file, namespace string, message []byte, w io.Writer) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "ssh-keygen", "-q", "-Y", "sign", "-n", namespace, "-f", file)
	var said bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(message), io.MultiWriter(&said, w)
	out, err := cmd.Output()
	if err != nil {
		lines := strings.Split(strings.TrimSpace(said.String()), "\n")
		return nil, fmt.Errorf("ssh-keygen signs nothing with %s: %w: %s", file, err, strings.TrimSpace(lines[len(lines)-1]))
	}
	return out, nil
}
