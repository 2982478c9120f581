package unix

import "github.com/rocec/rocec/targets/target"

// errno is an error of a device's kernel.
type errno = target.Errno

const (
	eAcces    errno = "Permission denied"
	eBusy     errno = "Device or resource busy"
	EEXIST    errno = "File exists"
	eInval          = target.EINVAL
	eIO             = target.EIO
	eIsDir    errno = "Is a directory"
	eLoop     errno = "Too many levels of symbolic links"
	eNoDev          = target.ENODEV
	eNoEnt          = target.ENOENT
	eNoMem          = target.ENOMEM
	eNoSpc    errno = "No space left on device"
	eNotDir   errno = "Not a directory"
	eNotEmpty errno = "Directory not empty"
	eNotSupp        = target.EOPNOTSUPP
	ePerm           = target.EPERM
	eRoFS     errno = "Read-only file system"
	eTooLong  errno = "File name too long"
	EPIPE     errno = "broken pipe" // in the spelling of Go's own errno
	eXDev     errno = "Invalid cross-device link"
)
