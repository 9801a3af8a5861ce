"""Packs a folder as a wheel: writes its RECORD, and a zip file with the same bytes each time."""

import base64
import hashlib
import os
import sys
import time
import zipfile

folder, wheel, epoch = sys.argv[1:]
names = sorted(
    os.path.relpath(os.path.join(directory, name), folder)
    for directory, _, files in os.walk(folder)
    for name in files
)
[information] = {name.split("/")[0] for name in names if ".dist-info/" in name}
record = f"{information}/RECORD"

lines = []
for name in names:
    with open(os.path.join(folder, name), "rb") as file:
        content = file.read()
    digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).decode().rstrip("=")
    lines.append(f"{name},sha256={digest},{len(content)}\n")
lines.append(f"{record},,\n")
with open(os.path.join(folder, record), "w") as file:
    file.writelines(lines)

date = time.gmtime(int(epoch))[:6]
with zipfile.ZipFile(wheel, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
    # RECORD is last, as the format recommends.
    for name in [*names, record]:
        path = os.path.join(folder, name)
        entry = zipfile.ZipInfo(name, date)
        entry.compress_type = zipfile.ZIP_DEFLATED
        mode = 0o755 if os.access(path, os.X_OK) else 0o644
        entry.external_attr = (0o100000 | mode) << 16
        with open(path, "rb") as file:
            archive.writestr(entry, file.read())
