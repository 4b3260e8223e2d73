plugins {
    id("com.android.application") version "8.7.3"
    id("org.jetbrains.kotlin.android") version "2.1.20"
}

android {
    namespace = "com.kazeia.example"
    compileSdk = 34
    defaultConfig {
        applicationId = "com.kazeia.example"
        minSdk = 28
        targetSdk = 34
        versionCode = 1
        versionName = "1"
        ndk { abiFilters += "arm64-v8a" }
    }
    // A model that travels inside the app must not be compressed. It is still copied to the files folder once.
    androidResources { noCompress += "gguf" }
    compileOptions {
        sourceCompatibility = JavaVersion.VERSION_11
        targetCompatibility = JavaVersion.VERSION_11
    }
    kotlinOptions { jvmTarget = "11" }
}

dependencies {
    // An AAR given as a file does not bring its dependencies; one from a Maven repository (com.kazeia:kazeia-tts) does.
    implementation(files("../../../build/android/kazeia-tts-0.1.0.aar"))
    implementation("org.jetbrains.kotlinx:kotlinx-coroutines-android:1.10.1")
}
