package org.pycuda;

import java.util.Objects;

/**
 * A copy of one row in a graph. A buffer's range is read once, because other threads may move its limit meanwhile.
 *
 * @param nbytes its length
 */
record RowCopy(Memcpy3D copy, long nbytes) {
    private static RowCopy ofBytes(long nbytes) {
        return ofBytes(new Memcpy3D(), nbytes);
    }

    private static RowCopy ofBytes(Memcpy3D copy, long nbytes) {
        return new RowCopy(copy.setWidthInBytes(nbytes).setHeight(1).setDepth(1), nbytes);
    }

    /** What an update gives to the source stays when another gives only a destination. */
    private RowCopy source(DevicePointer src) {
        DriverProxy.readEndOfCopy(true);
        copy.setSrcDevice(src);
        DriverProxy.readEndOfCopy(false);
        return this;
    }

    static RowCopy onDevice(DevicePointer dest, DevicePointer src, long nbytes) {
        RowCopy row = ofBytes(nbytes);
        if (Holders.runProgramCode(Objects.requireNonNull(src, "src"))) {  // it may close the other end
            row.source(src).copy.setDstDevice(dest);
        } else {
            row.copy.setDstDevice(dest);
            row.source(src);
        }
        return row;
    }

    static RowCopy toDevice(DevicePointer dest, Object src) {
        Memcpy3D copy = new Memcpy3D().setDstDevice(dest);  // first: code of the program may close the host memory
        HostUse use = HostUse.forEver(src);
        RowCopy row = ofBytes(copy, use.nbytes);
        row.copy.setSrcHost(use.address, use.nbytes, src);
        return row;
    }

    static RowCopy toHost(Object dest, DevicePointer src) {
        HostCopies.requireWritable(dest);
        RowCopy from = ofBytes(0).source(src);
        HostUse use = HostUse.forEver(dest);
        RowCopy row = ofBytes(from.copy, use.nbytes);
        row.copy.setDstHost(use.address, use.nbytes, dest);
        return row;
    }
}
