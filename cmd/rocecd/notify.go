package main

import "net"

// notify tells systemd the state of this process, as sd_notify(3) does. Without systemd the socket has no name, and nothing hears it.
func notify(socket, state string) error {
	if socket == "" {
		return nil
	}
	conn, err := net.DialUnix("unixgram", nil, &net.UnixAddr{Name: socket, Net: "unixgram"})
	if err != nil {
		return err
	}
	defer conn.Close()
	_, err = conn.Write([]byte(state))
	return err
}
