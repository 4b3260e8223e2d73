#!/usr/bin/env python3
"""Checks the AAR as an app's build would meet it: what is in it, that D8 accepts its classes, and that R8 with its rules
leaves alone what the native library looks up by name. test.sh calls it after Maven.

    bindings/android/check_aar.py BUILD     BUILD/jvm holds the jars, BUILD/libkazeia_tts.so the library of this machine
"""

import glob
import os
import platform
import subprocess
import sys
import tempfile
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))
ABI = {"x86_64": "x86_64", "aarch64": "arm64-v8a"}[platform.machine()]
MIN_API = "28"

# As an app would use it; R8 removes what nothing uses.
APP_RULES = """
-keep class com.kazeia.tts.TtsEngine { public *; }
-dontwarn **
"""
FOUND_BY_NAME = ("Lcom/kazeia/tts/TtsJni;", "Lcom/kazeia/tts/TtsException;", "Lcom/kazeia/tts/NativeRequest;",
                 "Lcom/kazeia/tts/NativeAudioCallback;", "nativeStream", "nativeFree", "talkerTemperature",
                 "silenceLimitMs", "onAudio")


def run(*command):
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    output = result.stdout + result.stderr
    if result.returncode:
        sys.exit(f"check_aar: {' '.join(command[:6])} ... failed:\n{output[-4000:]}")
    return output


def check_contents(aar):
    expected = {"AndroidManifest.xml", "R.txt", "classes.jar", "proguard.txt", "META-INF/LICENSE", "META-INF/NOTICE",
                f"jni/{ABI}/libkazeia_tts.so", "res/values/kazeia_tts.xml", "res/xml/kazeia_tts_engine.xml"}
    with zipfile.ZipFile(aar) as archive:
        if set(archive.namelist()) != expected:
            sys.exit(f"check_aar: expected {sorted(expected)}, found {sorted(archive.namelist())}")
        manifest = archive.read("AndroidManifest.xml").decode()
        return archive.read("classes.jar"), archive.read("proguard.txt").decode(), manifest


def check_manifest(manifest, class_names):
    """Each class that the manifest names is there."""
    named = [part.split('"')[0] for part in manifest.split('android:name="')[1:]]
    for name in (name for name in named if name.startswith("com.kazeia.")):
        if name.replace(".", "/") + ".class" not in class_names:
            sys.exit(f"check_aar: the manifest names {name}, which is not in classes.jar")


def dex_bytes(archive):
    with zipfile.ZipFile(archive) as dex:
        return b"".join(dex.read(name) for name in dex.namelist() if name.endswith(".dex"))


def main():
    build = os.path.abspath(sys.argv[1])
    robolectric = os.path.join(build, "jvm", "kazeia-tts-service", "robolectric")
    r8 = os.path.join(robolectric, "r8.jar")
    libraries = sorted(glob.glob(os.path.join(robolectric, "libraries", "*.jar")))
    android = next(jar for jar in libraries if os.path.basename(jar).startswith("android-all"))
    others = [jar for jar in libraries if jar != android and "kazeia" not in os.path.basename(jar)]
    jars = glob.glob(os.path.join(build, "jvm", "kazeia-tts-*", "kazeia-tts-*.jar"))
    with tempfile.TemporaryDirectory() as folder:
        print(run(os.path.join(HERE, "make_aar.py"), "--foreign", "--library", f"{ABI}={build}/libkazeia_tts.so",
                  "-o", folder, *(part for jar in jars for part in ("--jar", jar))).strip())
        aar, = glob.glob(os.path.join(folder, "*.aar"))
        classes, rules, manifest = check_contents(aar)
        jar = os.path.join(folder, "classes.jar")
        with open(jar, "wb") as file:
            file.write(classes)
        with zipfile.ZipFile(jar) as archive:
            check_manifest(manifest, set(archive.namelist()))

        class_path = [part for other in others for part in ("--classpath", other)]
        run("java", "-cp", r8, "com.android.tools.r8.D8", "--min-api", MIN_API, "--lib", android, *class_path,
            "--output", os.path.join(folder, "d8.zip"), jar)
        print(f"D8 accepts classes.jar: {len(dex_bytes(os.path.join(folder, 'd8.zip'))) / 1e3:.0f} KB of dex")

        rules_file = os.path.join(folder, "rules.txt")
        with open(rules_file, "w", encoding="utf-8") as file:
            file.write(rules + APP_RULES)
        run("java", "-cp", r8, "com.android.tools.r8.R8", "--release", "--min-api", MIN_API, "--lib", android,
            "--pg-conf", rules_file, "--output", os.path.join(folder, "r8.zip"), jar, *others)
        shrunk = dex_bytes(os.path.join(folder, "r8.zip"))
        missing = [name for name in FOUND_BY_NAME if name.encode() not in shrunk]
        if missing:
            sys.exit(f"check_aar: R8 removed or renamed {', '.join(missing)}: proguard.txt must keep them")
        print("R8 keeps what the native library looks up")


if __name__ == "__main__":
    main()
